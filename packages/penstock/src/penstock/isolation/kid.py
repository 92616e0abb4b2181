"""A child as its worker sees it: ready, busy, gone."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from penstock.handling.failures import Failure
from penstock.isolation.ending import Ending, Nursery
from penstock.isolation.errand import Crashed, Ended, Errand, Killed, Progress, Returned, Why, how_it_ended
from penstock.isolation.line import Line
from penstock.isolation.trouble import BadHandler, NoChild
from penstock.isolation.words import (
    Cancel,
    Done,
    Garbled,
    Leave,
    Raised,
    Ready,
    Run,
    Stopped,
    Told,
    Unprepared,
    Word,
    from_json,
)

T = TypeVar("T")


@dataclass(slots=True)
class _Message:
    """What it runs."""

    id: bytes
    on_progress: Callable[[Progress], None]
    outcome: asyncio.Future[Ended | None]
    why: Why | None = None


class Kid:
    """One child, from the wish for it to its end."""

    def __init__(
        self, sock: socket.socket, nursery: Nursery, *, number: int, patience: float, gone: Callable[[Kid], None]
    ) -> None:
        """Listen to a child that is being made; `gone` is called once, when it is no more."""
        self._loop = asyncio.get_running_loop()
        self._line = Line(sock, self._heard, self._silent)
        self._end = Ending(nursery, number, self._ended)
        self._patience = patience
        self._gone = gone
        self._last = False
        self._leaving = False
        self._message: _Message | None = None
        self.ready: asyncio.Future[BadHandler | NoChild | None] = self._loop.create_future()
        """What keeps it from being born; None when it waits for a message."""

    @property
    def usable(self) -> bool:
        """It can be given another message."""
        return not (self._line.over or self._leaving or self._message)

    def begin(
        self, errand: Errand, deadline: float | None, on_progress: Callable[[Progress], None]
    ) -> asyncio.Future[Ended | None]:
        """Run a message. Gives its outcome, or None when the child was gone before it had read the message."""
        self._message = _Message(errand.id, on_progress, self._loop.create_future())
        outcome = self._message.outcome
        parts = [part for field in errand.fields for part in field]
        word = Run(
            id=errand.id.decode("latin-1"),
            lengths=[len(part) for part in parts],
            attempt=errand.attempt,
            fence=errand.fence,
            consumer=errand.consumer,
            seconds_left=None if deadline is None else max(0.0, deadline - time.monotonic()),
        )
        self._line.say(word, b"".join(parts))
        return outcome

    def cancel(self, why: Why) -> None:
        """Ask what runs to stop, and see to it that it does."""
        if self._message is not None and self._message.why is None:
            self._message.why = why
            self._line.say(Cancel(why))
            self._end.force_in(self._patience)

    def leave(self) -> None:
        """Let it end by itself; what runs is cancelled first, as by a drain."""
        if self._message is not None:
            self._last = True
            self.cancel("drain")
        elif not self._leaving:
            self._leaving = True
            self._line.say(Leave())
            self._end.force_in(self._patience)

    def exited(self, code: int) -> None:
        """Hear from the nursery that it has ended."""
        self._line.hear_rest()
        self._end.exited(code)

    def unborn(self, text: str) -> None:
        """Hear from the nursery that there will be no child."""
        self._set_ready(NoChild(text))
        self._end.exited(None)

    def orphaned(self) -> None:
        """Hear that the nursery is gone, and with it the one who would tell how this child ends."""
        self._end.orphaned(silent=self._line.over)

    def _heard(self, word: Word, body: bytes) -> None:
        message = self._message
        if isinstance(word, Ready):
            self._end.pid = word.pid
            self._set_ready(None)
        elif isinstance(word, Unprepared):
            self._set_ready(BadHandler(word.text))
        elif isinstance(word, Told):
            if message is not None and word.id.encode("latin-1") == message.id:
                # Later, so that it is no affair of this child what comes of it; yet before the outcome.
                self._loop.call_soon(message.on_progress, Progress(message.id, from_json(body)))
        elif message is None:
            raise Garbled("an outcome of nothing")
        elif isinstance(word, Done):
            self._settle(message, Returned(body), last=word.last)
        elif isinstance(word, Raised):
            self._settle(message, _failure(body), last=word.last)
        elif isinstance(word, Stopped) and message.why is not None:
            self._settle(message, Killed(message.why, by_force=False), last=word.last)

    def _settle(self, message: _Message, ended: Ended, *, last: bool) -> None:
        self._message = None
        _set(message.outcome, ended)
        if self._last or last or not self._end.call_off():
            self.leave()

    def _silent(self) -> None:
        self._end.silent()

    def _ended(self, code: int | None) -> None:
        """Its process is no more, and all that it has said was heard."""
        unread = self._line.unread
        self._line.close()
        self._set_ready(NoChild(f"{how_it_ended(code)} before it was ready"))
        if self._message is not None:
            message, self._message = self._message, None
            _set(message.outcome, self._how(message, code, unread=unread))
        self._gone(self)

    def _how(self, message: _Message, code: int | None, *, unread: bool) -> Ended | None:
        if message.why is not None:
            return Killed(message.why, by_force=True) if self._end.forced else Crashed(code, how_it_ended(code))
        if unread:  # nothing was said to it after the message
            return None
        return Crashed(code, "it closed its socket to the worker" if self._end.forced else how_it_ended(code))

    def _set_ready(self, trouble: BadHandler | NoChild | None) -> None:
        _set(self.ready, trouble)


def _failure(body: bytes) -> Failure:
    try:
        return Failure.told(json.loads(body))
    except (ValueError, TypeError, KeyError) as error:
        raise Garbled("no failure beside a word") from error


def _set(future: asyncio.Future[T], value: T) -> None:
    if not future.done():
        future.set_result(value)
