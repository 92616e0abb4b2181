"""The tour is true: its excerpts are in the committed files, and its commands print the output that it shows.

`PENSTOCK_REWRITE_TRANSCRIPTS=1` writes the current output into the page.
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
def test_an_excerpt_is_in_the_file(root: Path, file: str, excerpt: str) -> None:
    """Complete lines in this order; lines may be left out between them, and digests inside them."""
    content, at = "\n" + (root / file).read_text(), 0
    for part in excerpt.split(LEFT_OUT):
        words = (re.escape(one) for one in f"\n{part}".split(DIGEST))
        match = re.compile("[0-9a-f]+".join(words)).search(content, at)
        assert match, part
        at = match.end() - 1


def test_commands_print_the_shown_output(root: Path, repository: Path) -> None:
    """One after the other, in a copy of this repository."""
    shutil.copytree(root / "generated", repository / "generated")

    def played(fence: re.Match[str]) -> str:
        if fence["kind"] != "console":
            return fence[0]
        commands = [one.partition("\n")[0] for one in re.split(r"(?m)^\$ ", fence["text"]) if one]
        return "```console\n" + "".join(f"$ {one}\n{output_of(one, repository)}" for one in commands) + "```"

    page = PAGE.read_text()
    new_page = FENCE.sub(played, page)
    if os.environ.get("PENSTOCK_REWRITE_TRANSCRIPTS"):
        PAGE.write_text(new_page)
    assert new_page == page


def output_of(command: str, folder: Path) -> str:
    """Standard output and standard error together, as a reader sees them."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {"PATH": path, "NO_COLOR": "1", "PENSTOCK_TODAY": "2026-01-01"}
    ran = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, check=False,
    )  # fmt: skip
    return ran.stdout


def test_every_file_of_the_pipeline_is_on_the_tour(root: Path) -> None:
    """Each file is named."""
    page = PAGE.read_text()
    folder = root / "generated/production/agent-queue"
    assert [path.name for path in folder.rglob("*") if path.is_file() and path.name not in page] == []
