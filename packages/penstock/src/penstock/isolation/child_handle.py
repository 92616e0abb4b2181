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
from penstock.isolation.channel import Channel
from penstock.isolation.errors import HandlerImportError, NoChildError
from penstock.isolation.protocol import (
    Cancel,
    ImportFailed,
    Packet,
    ProgressPacket,
    ProtocolError,
    Quit,
    Ready,
    Run,
    RunDone,
    RunFailed,
    RunStopped,
    from_json,
)
from penstock.isolation.runs import (
    CancelReason,
    Crashed,
    Killed,
    ProgressReport,
    Returned,
    RunRequest,
    RunResult,
    describe_exit,
)
from penstock.isolation.termination import ForkServerControl, Termination

T = TypeVar("T")


@dataclass(slots=True)
class _Message:
    """What it runs."""

    id: bytes
    on_progress: Callable[[ProgressReport], None]
    outcome: asyncio.Future[RunResult | None]
    why: CancelReason | None = None


class ChildHandle:
    """One child, from the wish for it to its end."""

    def __init__(
        self,
        sock: socket.socket,
        fork_server: ForkServerControl,
        *,
        number: int,
        patience: float,
        gone: Callable[[ChildHandle], None],
    ) -> None:
        """Listen to a child that is being made; `gone` is called once, when it is no more."""
        self._loop = asyncio.get_running_loop()
        self._channel = Channel(sock, self._on_packet, self._on_close)
        self._end = Termination(fork_server, number, self._ended)
        self._patience = patience
        self._gone = gone
        self._last = False
        self._leaving = False
        self._message: _Message | None = None
        self.ready: asyncio.Future[HandlerImportError | NoChildError | None] = self._loop.create_future()
        """What keeps it from being born; None when it waits for a message."""

    @property
    def usable(self) -> bool:
        """It can be given another message."""
        return not (self._channel.closed or self._leaving or self._message)

    def begin(
        self, request: RunRequest, deadline: float | None, on_progress: Callable[[ProgressReport], None]
    ) -> asyncio.Future[RunResult | None]:
        """Run a message. Gives its outcome, or None when the child was gone before it had read the message."""
        self._message = _Message(request.id, on_progress, self._loop.create_future())
        outcome = self._message.outcome
        parts = [part for field in request.fields for part in field]
        packet = Run(
            id=request.id.decode("latin-1"),
            lengths=[len(part) for part in parts],
            attempt=request.attempt,
            fence=request.fence,
            consumer=request.consumer,
            seconds_left=None if deadline is None else max(0.0, deadline - time.monotonic()),
        )
        self._channel.send(packet, b"".join(parts))
        return outcome

    def cancel(self, why: CancelReason) -> None:
        """Ask what runs to stop, and see to it that it does."""
        if self._message is not None and self._message.why is None:
            self._message.why = why
            self._channel.send(Cancel(why))
            self._end.force_in(self._patience)

    def leave(self) -> None:
        """Let it end by itself; what runs is cancelled first, as by a drain."""
        if self._message is not None:
            self._last = True
            self.cancel("drain")
        elif not self._leaving:
            self._leaving = True
            self._channel.send(Quit())
            self._end.force_in(self._patience)

    def exited(self, code: int) -> None:
        """Hear from the fork server that it has ended."""
        self._channel.read_rest()
        self._end.exited(code)

    def fork_failed(self, text: str) -> None:
        """Hear from the fork server that there will be no child."""
        self._set_ready(NoChildError(text))
        self._end.exited(None)

    def orphaned(self) -> None:
        """Hear that the fork server is gone, and with it the one who would tell how this child ends."""
        self._end.orphaned(closed=self._channel.closed)

    def _on_packet(self, packet: Packet, body: bytes) -> None:
        message = self._message
        if isinstance(packet, Ready):
            self._end.pid = packet.pid
            self._set_ready(None)
        elif isinstance(packet, ImportFailed):
            self._set_ready(HandlerImportError(packet.text))
        elif isinstance(packet, ProgressPacket):
            if message is not None and packet.id.encode("latin-1") == message.id:
                # Later, so that it is no affair of this child what comes of it; yet before the outcome.
                self._loop.call_soon(message.on_progress, ProgressReport(message.id, from_json(body)))
        elif message is None:
            raise ProtocolError("an outcome of nothing")
        elif isinstance(packet, RunDone):
            self._settle(message, Returned(body), last=packet.last)
        elif isinstance(packet, RunFailed):
            self._settle(message, _failure(body), last=packet.last)
        elif isinstance(packet, RunStopped) and message.why is not None:
            self._settle(message, Killed(message.why, by_force=False), last=packet.last)

    def _settle(self, message: _Message, ended: RunResult, *, last: bool) -> None:
        self._message = None
        _set(message.outcome, ended)
        if self._last or last or not self._end.call_off():
            self.leave()

    def _on_close(self) -> None:
        self._end.closed()

    def _ended(self, code: int | None) -> None:
        """Its process is no more, and all that it has said was heard."""
        unread = self._channel.unread
        self._channel.close()
        self._set_ready(NoChildError(f"{describe_exit(code)} before it was ready"))
        if self._message is not None:
            message, self._message = self._message, None
            _set(message.outcome, self._how(message, code, unread=unread))
        self._gone(self)

    def _how(self, message: _Message, code: int | None, *, unread: bool) -> RunResult | None:
        if message.why is not None:
            return Killed(message.why, by_force=True) if self._end.forced else Crashed(code, describe_exit(code))
        if unread:  # nothing was said to it after the message
            return None
        return Crashed(code, "it closed its socket to the worker" if self._end.forced else describe_exit(code))

    def _set_ready(self, trouble: HandlerImportError | NoChildError | None) -> None:
        _set(self.ready, trouble)


def _failure(body: bytes) -> Failure:
    try:
        return Failure.told(json.loads(body))
    except (ValueError, TypeError, KeyError) as error:
        raise ProtocolError("no failure beside a word") from error


def _set(future: asyncio.Future[T], value: T) -> None:
    if not future.done():
        future.set_result(value)
