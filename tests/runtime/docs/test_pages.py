"""Pages whose commands meet a Redis, word for word, in a real shell: what they show is what happens.

A page begins where its reader does: in an empty folder if it makes a repository itself, else in one with the platform
file of `penstock init`. `REDIS_URL` is a Redis of the page's own.

`PENSTOCK_REWRITE_TRANSCRIPTS=1` writes down what is said now.
"""

import os
from pathlib import Path

import pages
import pytest
from servers import Server
from shell import Shell, alike


@pytest.mark.parametrize("page", pages.in_a_shell(), ids=pages.name_of)
def test_a_page_is_true(page: Path, laptop: Server, tmp_path: Path) -> None:
    """Every command is run, every file is written, every answer stands there, and all Python of ours was run."""
    text = page.read_text()
    shell = Shell(tmp_path, REDIS_URL=f"redis://{laptop.address}")
    if not any("penstock init" in command for block in pages.blocks(page) for command in block.commands()):
        shell.write("penstock.yaml", pages.platform())

    told, never_run = shell.play(text)

    if os.environ.get("PENSTOCK_REWRITE_TRANSCRIPTS"):
        page.write_text(told)
    assert alike(told) == alike(text)
    assert never_run == []


def test_there_are_such_pages() -> None:
    """The tutorial is one of them."""
    assert pages.ROOT / "docs/tutorial.md" in pages.in_a_shell()
