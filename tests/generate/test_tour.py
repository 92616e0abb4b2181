"""The tour shows what there is: excerpts stand in the committed files, and commands say what stands there.

`PENSTOCK_REWRITE_TRANSCRIPTS=1` writes down what commands say now.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pages import FENCE

PAGE = Path(__file__).parents[2] / "docs/explanation/generated.md"
LEFT_OUT = "...\n"
DIGEST = "[...]"
EXCERPTS = [
    pytest.param(fence["title"], fence["text"], id=f"{number}-{fence['title']}")
    for number, fence in enumerate(FENCE.finditer(PAGE.read_text()))
    if fence["title"]
]


@pytest.mark.parametrize(("file", "excerpt"), EXCERPTS)
def test_an_excerpt_stands_in_the_file(root: Path, file: str, excerpt: str) -> None:
    """Whole lines, in this order; between them others may be left out, and a digest in one."""
    content, at = "\n" + (root / file).read_text(), 0
    for part in excerpt.split(LEFT_OUT):
        words = (re.escape(one) for one in f"\n{part}".split(DIGEST))
        found = re.compile("[0-9a-f]+".join(words)).search(content, at)
        assert found, part
        at = found.end() - 1


def test_commands_say_what_stands_there(root: Path, repository: Path) -> None:
    """One after the other, in a copy of this repository."""
    shutil.copytree(root / "generated", repository / "generated")

    def played(fence: re.Match[str]) -> str:
        if fence["kind"] != "console":
            return fence[0]
        commands = [one.partition("\n")[0] for one in re.split(r"(?m)^\$ ", fence["text"]) if one]
        return "```console\n" + "".join(f"$ {one}\n{said(one, repository)}" for one in commands) + "```"

    page = PAGE.read_text()
    told = FENCE.sub(played, page)
    if os.environ.get("PENSTOCK_REWRITE_TRANSCRIPTS"):
        PAGE.write_text(told)
    assert told == page


def said(command: str, folder: Path) -> str:
    """On both streams, as a reader sees it."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {"PATH": path, "NO_COLOR": "1", "PENSTOCK_TODAY": "2026-01-01"}
    ran = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, check=False,
    )  # fmt: skip
    return ran.stdout


def test_every_file_of_the_pipeline_is_on_the_tour(root: Path) -> None:
    """By its name."""
    page = PAGE.read_text()
    folder = root / "generated/production/agent-queue"
    assert [path.name for path in folder.rglob("*") if path.is_file() and path.name not in page] == []
