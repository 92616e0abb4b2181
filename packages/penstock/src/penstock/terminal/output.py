"""What the verbs share that people use to look after pipelines: which one, how wide, and what goes where.

What was asked for goes to standard output, all else to standard error. They end with 0, with 1 where nothing was found
or a part of it failed, and with 2 where they cannot go on.
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
"""How Redis writes the id of an entry."""
INCOMPLETE = 1
"""The exit code where nothing was found, or a part failed."""


def tell(line: str = "") -> None:
    """What was asked for."""
    click.echo(line)


def tell_json(told: Mapping[str, object]) -> None:
    """An object on a line of its own."""
    click.echo(json.dumps(told))


def aside(line: str) -> None:
    """What else there is to say."""
    click.echo(line, err=True)


def columns() -> int:
    """The width of the terminal; where there is none, that of most."""
    return shutil.get_terminal_size().columns


def tell_table(table: Table) -> None:
    """The headings stand out on a terminal."""
    paint = painter()
    for number, line in enumerate(table.lines(columns())):
        tell(line if number else paint(line, "bold"))


PROGRESS_ON_TERMINAL = 0.1
"""Seconds between updates of a progress line on a terminal."""
PROGRESS_ELSEWHERE = 10.0
"""Seconds between progress lines in a log."""


class Progress:
    """How far it has come: on a terminal a line that changes, elsewhere a line now and then."""

    def __init__(self) -> None:
        """Nothing is shown yet."""
        self._changes = sys.stderr is not None and sys.stderr.isatty()
        self._every = PROGRESS_ON_TERMINAL if self._changes else PROGRESS_ELSEWHERE
        self._next = time.monotonic() + self._every
        self._width = 0

    def show(self, text: str) -> None:
        """Instead of what was shown before, if that stood for long enough."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self._every
        if self._changes:
            click.echo(f"\r{text:<{self._width}}", err=True, nl=False)
            self._width = len(text)
        else:
            aside(text)

    def end(self) -> None:
        """Take it away."""
        if self._width:
            click.echo(f"\r{'':<{self._width}}\r", err=True, nl=False)
