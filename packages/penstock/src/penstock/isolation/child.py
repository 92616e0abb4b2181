"""The child process: runs one message after another, until its worker sends `Quit` or ends."""

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
from penstock.isolation.channel import Channel
from penstock.isolation.errors import HandlerImportError
from penstock.isolation.memory import MemoryLimit, die_first
from penstock.isolation.program import ChildProgram, load
from penstock.isolation.protocol import (
    JSON,
    Cancel,
    ImportFailed,
    Packet,
    Prepare,
    ProgressPacket,
    Quit,
    Ready,
    Run,
    RunDone,
    RunFailed,
    RunStopped,
    encode,
)
from penstock.isolation.runs import CancelReason, RunRequest
from penstock.observe.failures import failure

BROKEN = 70
"""The exit code of a child that failed outside a handler, by a bug in Penstock."""


def run_child(
    sock: socket.socket,
    worker: int,
    prepare: Prepare,
    program: ChildProgram | None,
    fork_server_sockets: Iterable[socket.socket],
) -> NoReturn:
    """Run as a child, in a process that was just forked. Without a program, import it here."""
    code = BROKEN
    try:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for inherited in fork_server_sockets:
            inherited.close()
        lifeline.hold(worker)
        die_first()
        code = _run(sock, prepare, program)
    except BaseException as error:  # noqa: BLE001 - the stack above belongs to the fork server
        with suppress(OSError, ValueError):
            sys.stderr.write(f"penstock: a child process failed outside the handler: {failure(error)}\n")
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        os._exit(code)


def ignore_signals() -> None:
    """Ignore signals to the process group, because a drain waits for the messages of the children.

    The signal handler is an empty function, because programs that a team's handler starts would inherit SIG_IGN.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)


def _run(sock: socket.socket, prepare: Prepare, program: ChildProgram | None) -> int:
    if program is None:
        try:
            program = load(prepare)
        except HandlerImportError as error:
            sock.sendall(encode(ImportFailed(str(error))))
            return 0
    ignore_signals()
    loop = asyncio.SelectorEventLoop()
    asyncio.set_event_loop(loop)
    serving = loop.create_task(_Child(sock, program, MemoryLimit(prepare.memory_limit), loop).serve())
    while not serving.done():
        # `sys.exit` stops the loop; if the handler called it, the worker gets it as a failure.
        with suppress(SystemExit, KeyboardInterrupt):
            loop.run_until_complete(serving)
    serving.result()
    return 0


class _Control:
    """Connects one message to the worker."""

    def __init__(self, channel: Channel, message: str) -> None:
        self._channel = channel
        self._message = message
        self._callbacks: list[Callable[[CancelReason], object]] = []
        self.why: CancelReason | None = None
        self.last = False

    def on_cancel(self, callback: Callable[[CancelReason], object]) -> None:
        if self.why is None:
            self._callbacks.append(callback)
        else:
            callback(self.why)

    def progress(self, value: JSON) -> None:
        self._channel.send(ProgressPacket(self._message), json.dumps(value).encode())

    def retire(self) -> None:
        self.last = True

    def cancel(self, why: CancelReason) -> None:
        if self.why is None:
            self.why = why
            callbacks, self._callbacks = self._callbacks, []
            for callback in callbacks:
                callback(why)


class _Child:
    def __init__(
        self, sock: socket.socket, program: ChildProgram, memory: MemoryLimit, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._sock = sock
        self._program = program
        self._memory = memory
        self._loop = loop
        self._quit = asyncio.Event()
        self._control: _Control | None = None
        self._task: asyncio.Task[None] | None = None

    async def serve(self) -> None:
        # When its worker is gone, the message runs again elsewhere, so there is nothing to finish.
        self._channel = Channel(self._sock, self._on_packet, lambda: os._exit(0))
        self._channel.send(Ready(os.getpid()))
        await self._quit.wait()
        await self._program.close()

    def _on_packet(self, packet: Packet, body: bytes) -> None:
        if isinstance(packet, Run):
            self._control = _Control(self._channel, packet.id)
            self._task = self._loop.create_task(self._run(_request(packet, body), self._control))
        elif isinstance(packet, Cancel) and self._control is not None:
            self._control.cancel(cast("CancelReason", packet.why))
        elif isinstance(packet, Quit):
            self._quit.set()

    async def _run(self, request: RunRequest, control: _Control) -> None:
        packet: Packet
        try:
            with self._memory:
                body = await self._program.run(request, control)
            packet = RunDone(control.last)
        except BaseException as error:  # noqa: BLE001 - the worker gets any exception
            if isinstance(error, asyncio.CancelledError) and control.why is not None:
                packet, body = RunStopped(control.last), b""
            else:
                packet = RunFailed(control.last or isinstance(error, MemoryError))
                body = json.dumps(asdict(Failure.of(error))).encode()
        self._control = None
        self._channel.send(packet, body)


def _request(packet: Run, body: bytes) -> RunRequest:
    parts = _split(body, packet.lengths)
    return RunRequest(
        id=packet.id.encode("latin-1"),
        fields=tuple(zip(parts, parts, strict=True)),
        attempt=packet.attempt,
        fence=packet.fence,
        consumer=packet.consumer,
        seconds_left=packet.seconds_left,
    )


def _split(body: bytes, lengths: Sequence[int]) -> Iterator[bytes]:
    start = 0
    for length in lengths:
        yield body[start : start + length]
        start += length
