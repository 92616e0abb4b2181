"""The program of the how-to sends."""

import os
import re
import subprocess
import sys
from pathlib import Path

from servers import Server

HOW_TO = Path(__file__).parents[3] / "docs" / "how-to"
FENCE = re.compile(r'^```\w+ title="(?P<title>[^"]+)"\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)
PLATFORM = "kind: platform\nenvironments:\n  dev: {{namespace: dev, redis: {{addresses: ['{address}']}}}}\n"


def test_the_program_of_the_page_sends(server: Server, tmp_path: Path) -> None:
    """One message after a second, one of two at once; the other is not what the spec says."""
    for page in ("handlers.md", "sending.md"):
        for fence in FENCE.finditer((HOW_TO / page).read_text()):
            file = tmp_path / fence["title"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(fence["text"])
    (tmp_path / "penstock.yaml").write_text(PLATFORM.format(address=server.address))
    told = subprocess.run(
        [sys.executable, "producer.py"], cwd=tmp_path, env=os.environ, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    delayed, sent, failed = told.stdout.splitlines()
    assert len(delayed) == 26
    assert sent.startswith("Sent(")
    assert failed.startswith("Failed(")
    assert server.ask("XLEN", "streams:media-cluster") == 1
    assert server.ask("ZCARD", "{streams:media-cluster}:delayed") == 1
