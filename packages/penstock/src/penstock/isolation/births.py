"""The worker's side of a nursery: asks for children, and hears of their ends."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

from penstock.isolation.errand import how_it_ended
from penstock.isolation.kid import Kid
from penstock.isolation.line import Line
from penstock.isolation.trouble import UNWANTED, BadHandler, NoChild, refusals
from penstock.isolation.words import Exited, Fork, Hello, Prepare, Prepared, Signal, Unborn, Unprepared, Word

_SECONDS_TO_END = 5.0
"""For a nursery that was hung up on. It has nothing to do but to end."""


class DiedWhileImporting(BadHandler):
    """The nursery was killed, or the import has ended its process."""


class Births:
    """One nursery, from its start to its end."""

    def __init__(self, sock: socket.socket, process: asyncio.subprocess.Process, asked: Prepare) -> None:
        """See `open`."""
        self._asked = asked
        self._process = process
        self._ended = asyncio.ensure_future(process.wait())
        self._kids: dict[int, Kid] = {}
        self._numbers = itertools.count(1)
        self._prepared: asyncio.Future[Prepared | BadHandler] = asyncio.get_running_loop().create_future()
        self._line = Line(sock, self._heard, self._silent)
        self.each_imports = ""
        """Why each child imports the handler for itself; empty when it is imported once."""

    @classmethod
    async def open(cls, asked: Prepare, lifeline: int, unwanted: asyncio.Future[None]) -> Births:
        """Start a nursery and wait until it has imported the handler, or until it is unwanted.

        It is not to be cancelled: uvloop forgets a process that it is about to start.
        """
        with refusals():
            ours, theirs = socket.socketpair()
        try:
            with theirs, refusals():
                process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-P", "-m", "penstock.isolation.nursery", str(theirs.fileno()), str(lifeline)),
                    stdin=asyncio.subprocess.DEVNULL,
                    pass_fds=(theirs.fileno(), lifeline),
                    start_new_session=True,
                )
        except BaseException:
            ours.close()
            raise
        births = cls(ours, process, asked)
        try:
            await births._until_prepared(unwanted)
        except BaseException:
            births.kill()  # it may import for ever, and would not hear that it is not wanted
            await births.close()
            raise
        return births

    @property
    def over(self) -> bool:
        """It is gone, or was hung up on. Children that it has made may still be there."""
        return self._line.over

    def ask(self, patience: float, gone: Callable[[Kid], None]) -> Kid:
        """Ask for a child."""
        with refusals():
            ours, theirs = socket.socketpair()
        number = next(self._numbers)

        def forget(kid: Kid) -> None:
            self._kids.pop(number, None)
            gone(kid)

        kid = Kid(ours, self, number=number, patience=patience, gone=forget)
        self._kids[number] = kid
        self._line.say(Fork(number), hand_over=theirs)
        if self.over:
            kid.orphaned()
        return kid

    def signal(self, child: int, which: signal.Signals) -> None:
        """Have a signal sent to a child and all that it has started."""
        self._line.say(Signal(child, which))

    def kill(self) -> None:
        """End it, which is stuck."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def close(self) -> None:
        """Hang up, and wait until it has ended."""
        self._line.close()
        self._orphan()
        await asyncio.wait([self._ended], timeout=_SECONDS_TO_END)
        self.kill()
        await self._ended

    async def _until_prepared(self, unwanted: asyncio.Future[None]) -> None:
        either: list[asyncio.Future[Any]] = [self._prepared, self._ended, unwanted]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if unwanted.done():
            raise NoChild(UNWANTED)
        self._line.hear_rest()
        if not self._prepared.done():
            code = await self._ended
            raise DiedWhileImporting(f"the process that imported the handler is gone: {how_it_ended(code)}")
        answer = self._prepared.result()
        if isinstance(answer, BadHandler):
            raise answer
        self.each_imports = answer.each_imports

    def _heard(self, word: Word, _: bytes) -> None:
        if isinstance(word, Hello):
            self._line.say(self._asked)
        elif isinstance(word, Prepared):
            self._prepared.set_result(word)
        elif isinstance(word, Unprepared):
            self._prepared.set_result(BadHandler(word.text))
        elif isinstance(word, Exited | Unborn) and (kid := self._kids.get(word.child)):
            if isinstance(word, Exited):
                kid.exited(word.code)
            else:
                kid.unborn(word.text)

    def _silent(self) -> None:
        self._line.close()
        self._orphan()

    def _orphan(self) -> None:
        for kid in list(self._kids.values()):
            kid.orphaned()
