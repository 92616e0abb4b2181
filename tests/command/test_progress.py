"""Commands that take long show their progress."""

import sys

import pytest

from penstock.terminal import output
from penstock.terminal.output import Progress


def test_a_log_gets_lines_at_an_interval(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """If standard error is no terminal, no line is overwritten."""
    monkeypatch.setattr(output, "PROGRESS_ELSEWHERE", 0.0)
    progress = Progress()
    progress.show("1 of 2")
    progress.show("2 of 2")
    progress.end()
    assert capsys.readouterr().err == "1 of 2\n2 of 2\n"


def test_a_quick_command_prints_no_progress(capsys: pytest.CaptureFixture[str]) -> None:
    """The first line comes after the interval."""
    progress = Progress()
    progress.show("1 of 2")
    progress.end()
    assert capsys.readouterr().err == ""


def test_a_terminal_shows_one_line_that_changes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is cleared at the end."""
    monkeypatch.setattr(output, "PROGRESS_ON_TERMINAL", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = Progress()
    progress.show("10 of 10")
    progress.show("9")
    progress.end()
    assert capsys.readouterr().err == "\r10 of 10\r9       \r \r"
