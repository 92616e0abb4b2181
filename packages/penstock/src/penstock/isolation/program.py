"""The program that a child runs. It decodes, checks and calls the handler; the child only brings it messages.

`target`, a `module:callable` that can be imported, is called once with the configuration, in the fork server. It gives
the `ChildProgram` that all children share as copies. There is no event loop yet, and no child: it imports and
compiles what is needed, and opens nothing. What belongs to a loop or to one process is made at the first `run`.
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
    """The way out of a child, while it runs one message."""

    def on_cancel(self, callback: Callable[[CancelReason], object]) -> None:
        """Be called, on the loop, when it is cancelled; at once if it was. Who does not stop is killed."""

    def progress(self, told: JSON) -> None:
        """Tell the worker. From any thread, and also while the loop is blocked."""

    def retire(self) -> None:
        """Let this message be the last of this child: something of it goes on here."""


class ChildProgram(Protocol):
    """Runs messages, one at a time."""

    async def run(self, request: RunRequest, control: RunControl) -> bytes:
        """Run a message and give its outcome. What is raised is told as a `Failure`."""

    async def close(self) -> None:
        """Flush and let go, before the child ends by itself. Nobody waits long, and a crash does not call it."""


def load(asked: Prepare) -> ChildProgram:
    """Import the target and make its work; whatever goes wrong is told in one line."""
    sys.path[:0] = [entry for entry in asked.path if entry not in sys.path]
    module, _, name = asked.target.partition(":")
    try:
        found: Callable[..., ChildProgram] = getattr(importlib.import_module(module), name)
        return found(asked.config)
    except BaseException as error:  # an import may do anything, `sys.exit` as well
        theirs = error.with_traceback(error.__traceback__ and error.__traceback__.tb_next)
        told, at = " ".join(Failure.of(error).error.split()), failure(theirs).at
        raise HandlerImportError(f"{told} ({at})" if at else told) from error
