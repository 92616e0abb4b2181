"""The interface of the program that a child runs. The program decodes and checks a message, and calls the handler.

`target`, a `module:callable` that can be imported, is called once with the configuration, in the fork server. It
returns the `ChildProgram` that all children share as copies. There is no event loop yet and no child, so it only
imports and compiles, and opens nothing. The first `run` creates everything that belongs to a loop or to one process.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Protocol

from penstock.handling.failures import Failure
from penstock.isolation.errors import HandlerImportError
from penstock.isolation.protocol import JSON, Prepare
from penstock.isolation.runs import CancelReason, RunRequest
from penstock.observe.failures import failure


class RunControl(Protocol):
    """What a program can request while it runs a message."""

    def on_cancel(self, callback: Callable[[CancelReason], object]) -> None:
        """Call this on the loop when the message is cancelled, or at once if it was. A child that runs on is killed."""

    def progress(self, value: JSON) -> None:
        """Report progress to the worker. May be called from any thread, and while the loop is blocked."""

    def retire(self) -> None:
        """Make this message the child's last, because something of it stays in the process."""


class ChildProgram(Protocol):
    """Runs messages, one at a time."""

    async def run(self, request: RunRequest, control: RunControl) -> bytes:
        """Run a message and return its result. An exception goes to the worker as a `Failure`."""

    async def close(self) -> None:
        """Flush and close everything before the child ends normally. A crash skips this; a slow child is killed."""


def load(prepare: Prepare) -> ChildProgram:
    """Import the target and create its program. Raises HandlerImportError with one line."""
    sys.path[:0] = [entry for entry in prepare.path if entry not in sys.path]
    module, _, name = prepare.target.partition(":")
    try:
        create: Callable[..., ChildProgram] = getattr(importlib.import_module(module), name)
        return create(prepare.config)
    except BaseException as error:  # an import may do anything, even `sys.exit`
        team_error = error.with_traceback(error.__traceback__ and error.__traceback__.tb_next)
        text, at = " ".join(Failure.of(error).error.split()), failure(team_error).at
        raise HandlerImportError(f"{text} ({at})" if at else text) from error
