"""A child: runs one message after another, and ends when it is told to or when its worker is gone."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import NoReturn, cast

from penstock.handling.failures import Failure
from penstock.isolation import lifeline
from penstock.isolation.errand import Errand, Why
from penstock.isolation.line import Line
from penstock.isolation.memory import MemoryLimit, die_first
from penstock.isolation.trouble import BadHandler
from penstock.isolation.words import (
    JSON,
    Cancel,
    Done,
    Leave,
    Prepare,
    Raised,
    Ready,
    Run,
    Stopped,
    Told,
    Unprepared,
    Word,
    frame,
)
from penstock.isolation.work import Work, load
from penstock.observe.failures import failure

BROKEN = 70
"""The exit code of a child that failed by itself, which would be a fault of ours."""


def live(
    sock: socket.socket, worker: int, asked: Prepare, work: Work | None, not_its_own: Iterable[socket.socket]
) -> NoReturn:
    """Be a child, in a process that was just forked. Without work, import it here."""
    code = BROKEN
    try:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for one in not_its_own:
            one.close()
        lifeline.hold(worker)
        die_first()
        code = _live(sock, asked, work)
    except BaseException as error:  # noqa: BLE001 - the stack above belongs to the nursery
        with suppress(OSError, ValueError):
            sys.stderr.write(f"penstock: a child failed by itself: {failure(error)}\n")
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        os._exit(code)


def signals_do_nothing() -> None:
    """Let a drain that signals everyone in reach not take the messages that it waits for.

    A function that does nothing, rather than SIG_IGN: programs that a handler starts would inherit that.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)


def _live(sock: socket.socket, asked: Prepare, work: Work | None) -> int:
    if work is None:
        try:
            work = load(asked)
        except BadHandler as error:
            sock.sendall(frame(Unprepared(str(error))))
            return 0
    signals_do_nothing()
    loop = asyncio.SelectorEventLoop()
    asyncio.set_event_loop(loop)
    life = loop.create_task(_Child(sock, work, MemoryLimit(asked.memory_limit), loop).live())
    while not life.done():
        # A handler that calls `sys.exit` in a task of its own ends the loop; it is told as a failure of the handler.
        with suppress(SystemExit, KeyboardInterrupt):
            loop.run_until_complete(life)
    life.result()
    return 0


class _Port:
    """One message's way to the worker."""

    def __init__(self, line: Line, message: str) -> None:
        self._line = line
        self._message = message
        self._callbacks: list[Callable[[Why], object]] = []
        self.why: Why | None = None
        self.last = False

    def on_cancel(self, callback: Callable[[Why], object]) -> None:
        if self.why is None:
            self._callbacks.append(callback)
        else:
            callback(self.why)

    def progress(self, told: JSON) -> None:
        self._line.say(Told(self._message), json.dumps(told).encode())

    def retire(self) -> None:
        self.last = True

    def cancel(self, why: Why) -> None:
        if self.why is None:
            self.why = why
            callbacks, self._callbacks = self._callbacks, []
            for callback in callbacks:
                callback(why)


class _Child:
    def __init__(self, sock: socket.socket, work: Work, memory: MemoryLimit, loop: asyncio.AbstractEventLoop) -> None:
        self._sock = sock
        self._work = work
        self._memory = memory
        self._loop = loop
        self._left = asyncio.Event()
        self._port: _Port | None = None
        self._task: asyncio.Task[None] | None = None

    async def live(self) -> None:
        # Without a worker there is nobody to finish for: what runs here is run again elsewhere.
        self._line = Line(self._sock, self._heard, lambda: os._exit(0))
        self._line.say(Ready(os.getpid()))
        await self._left.wait()
        await self._work.close()

    def _heard(self, word: Word, body: bytes) -> None:
        if isinstance(word, Run):
            self._port = _Port(self._line, word.id)
            self._task = self._loop.create_task(self._run(_errand(word, body), self._port))
        elif isinstance(word, Cancel) and self._port is not None:
            self._port.cancel(cast("Why", word.why))
        elif isinstance(word, Leave):
            self._left.set()

    async def _run(self, errand: Errand, port: _Port) -> None:
        word: Word
        try:
            with self._memory:
                body = await self._work.run(errand, port)
            word = Done(port.last)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the outcome
            if isinstance(error, asyncio.CancelledError) and port.why is not None:
                word, body = Stopped(port.last), b""
            else:
                word = Raised(port.last or isinstance(error, MemoryError))
                body = json.dumps(asdict(Failure.of(error))).encode()
        self._port = None
        self._line.say(word, body)


def _errand(word: Run, body: bytes) -> Errand:
    parts = _cut(body, word.lengths)
    return Errand(
        id=word.id.encode("latin-1"),
        fields=tuple(zip(parts, parts, strict=True)),
        attempt=word.attempt,
        fence=word.fence,
        consumer=word.consumer,
        seconds_left=word.seconds_left,
    )


def _cut(body: bytes, lengths: Sequence[int]) -> Iterator[bytes]:
    start = 0
    for length in lengths:
        yield body[start : start + length]
        start += length
