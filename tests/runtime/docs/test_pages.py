"""Pages with commands that use Redis are run word for word in a real shell, and show their real output.

A page starts where its reader does: in an empty folder if it creates a repository, else in a folder with the platform
file of `penstock init`. `REDIS_URL` is the page's own Redis.

`PENSTOCK_REWRITE_TRANSCRIPTS=1` writes the current output into the pages.
"""

import os
from pathlib import Path

import pages
import pytest
from servers import Server
from shell import Shell, alike


@pytest.mark.parametrize("page", pages.in_a_shell(), ids=pages.name_of)
def test_a_page_shows_its_real_output(page: Path, laptop: Server, tmp_path: Path) -> None:
    """Every command runs, every file is written, every output matches; a command uses each Python file of the page."""
    text = page.read_text()
    folder = tmp_path / "penstock"  # pages may make a repository next to it
    folder.mkdir()
    shell = Shell(folder, REDIS_URL=f"redis://{laptop.address}")
    if not any("penstock init" in command for block in pages.blocks(page) for command in block.commands()):
        shell.write("penstock.yaml", pages.platform())

    played, not_run = shell.play(text)

    if os.environ.get("PENSTOCK_REWRITE_TRANSCRIPTS"):
        page.write_text(played)
    assert alike(played) == alike(text)
    assert not_run == []


def test_the_tutorial_is_such_a_page() -> None:
    assert pages.ROOT / "docs/tutorial.md" in pages.in_a_shell()
