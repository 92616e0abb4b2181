"""Output of verbs: results go to standard output, everything else to standard error.

Exit code 0: success; 1: nothing was found, or a part failed; 2: the command could not run.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from penstock.terminal.console import painter

if TYPE_CHECKING:
    from penstock.operating.table import Table


ENTRY_ID = re.compile(r"[0-9]+-[0-9]+", re.ASCII)
"""The id of a stream entry."""
INCOMPLETE = 1
"""Exit code: nothing was found, or a part failed."""
NOTHING_DONE = 2
"""Exit code: nothing could be done, as for errors that stop a command."""


def print_line(line: str = "") -> None:
    """Print a line of the result."""
    click.echo(line)


def print_json(value: Mapping[str, object]) -> None:
    """Print an object on one line."""
    click.echo(json.dumps(value))


def print_note(line: str) -> None:
    """Print a line that is not part of the result."""
    click.echo(line, err=True)


def columns() -> int:
    """The width of the terminal, by default 80."""
    return shutil.get_terminal_size().columns


def print_table(table: Table) -> None:
    """Print a table with bold headings."""
    paint = painter()
    for number, line in enumerate(table.lines(columns())):
        print_line(line if number else paint(line, "bold"))


PROGRESS_ON_TERMINAL = 0.1
"""Seconds between updates of a progress line on a terminal."""
PROGRESS_ELSEWHERE = 10.0
"""Seconds between progress lines in a log."""


class Progress:
    """Shows progress: on a terminal in one changing line, elsewhere in occasional lines."""

    def __init__(self) -> None:
        """Show nothing yet."""
        self._changes = sys.stderr is not None and sys.stderr.isatty()
        self._every = PROGRESS_ON_TERMINAL if self._changes else PROGRESS_ELSEWHERE
        self._next = time.monotonic() + self._every
        self._width = 0

    def show(self, text: str) -> None:
        """Replace the text, unless the last update was just before."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self._every
        if self._changes:
            click.echo(f"\r{text:<{self._width}}", err=True, nl=False)
            self._width = len(text)
        else:
            print_note(text)

    def end(self) -> None:
        """Clear the line."""
        if self._width:
            click.echo(f"\r{'':<{self._width}}\r", err=True, nl=False)
