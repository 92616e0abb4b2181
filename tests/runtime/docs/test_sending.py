"""The programs of the how-to send messages."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pages
import pytest
from servers import Server

HOW_TO = pages.ROOT / "docs/how-to"
PLATFORM = "kind: platform\nenvironments:\n  dev: {{namespace: dev, redis: {{addresses: ['{address}']}}}}\n"


@pytest.fixture
def repository(server: Server, tmp_path: Path) -> Path:
    """The files of this page and of the page with the handler, with the generated module copied as the page says."""
    for page in ("handlers.md", "sending.md"):
        for block in pages.blocks(HOW_TO / page):
            if block.title:
                file = tmp_path / block.title
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(block.text)
    (tmp_path / "penstock.yaml").write_text(PLATFORM.format(address=server.address))
    shutil.copy(pages.ROOT / "generated/production/media-cluster/producer.py", tmp_path / "media_cluster.py")
    return tmp_path


def output_of(program: list[str], repository: Path, server: Server) -> str:
    """The output of a program that exits with 0."""
    environ = {**os.environ, "REDIS_URL": f"redis://{server.address}"}
    result = subprocess.run(program, cwd=repository, env=environ, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_program_of_the_page_sends(server: Server, repository: Path) -> None:
    """A delayed message, and one of two in a batch; the other does not match the schema."""
    delayed, sent, failed = output_of([sys.executable, "producer.py"], repository, server).splitlines()
    assert len(delayed) == 26
    assert sent.startswith("Sent(")
    assert failed.startswith("Failed(")
    assert server.ask("XLEN", "streams:media-cluster") == 1
    assert server.ask("ZCARD", "{streams:media-cluster}:delayed") == 1


def test_a_program_without_penstock_sends(server: Server, repository: Path) -> None:
    """The generated module, copied into it, suffices."""
    entry = output_of([sys.executable, "web.py"], repository, server).strip()
    assert server.ask("XRANGE", "streams:media.cluster", entry, entry)


def test_the_rest_of_the_page_runs(server: Server, repository: Path) -> None:
    """Blocks without a file name are programs too."""
    rest = [block.text for block in pages.blocks(HOW_TO / "sending.md") if block.kind == "python" and not block.title]
    assert [output_of([sys.executable, "-c", text], repository, server) for text in rest] == [""]
