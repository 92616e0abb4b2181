"""Each transcript has the exact output of its commands."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.command import main

Play = Callable[[Path, Callable[[], None]], tuple[str, str]]

TRANSCRIPTS = sorted(Path(__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_commands_print_the_transcript(path: Path, play: Play) -> None:
    """Output, errors and exit codes are the same to the letter."""
    recorded, actual = play(path, main)
    if os.environ.get("PENSTOCK_REWRITE_TRANSCRIPTS"):
        path.write_text(actual)
    else:
        assert actual == recorded


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_transcript_starts_with_its_subject(path: Path) -> None:
    """It starts with a comment for readers, and runs a command."""
    first, *_ = path.read_text().splitlines()
    assert first.startswith("# ")
    assert "\n$ penstock" in path.read_text()
