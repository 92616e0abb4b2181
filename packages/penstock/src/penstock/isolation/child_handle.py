"""The worker's handle of a child process, from starting to its end."""

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
    """The message that the child runs."""

    id: bytes
    on_progress: Callable[[ProgressReport], None]
    outcome: asyncio.Future[RunResult | None]
    why: CancelReason | None = None


class ChildHandle:
    """One child, from the request to fork it to its end."""

    def __init__(
        self,
        sock: socket.socket,
        fork_server: ForkServerControl,
        *,
        number: int,
        patience: float,
        gone: Callable[[ChildHandle], None],
    ) -> None:
        """Handle a child that is being forked; `gone` is called once, when it has ended."""
        self._loop = asyncio.get_running_loop()
        self._channel = Channel(sock, self._on_packet, self._on_close)
        self._end = Termination(fork_server, number, self._ended)
        self._patience = patience
        self._gone = gone
        self._last = False
        self._quitting = False
        self._message: _Message | None = None
        self.ready: asyncio.Future[HandlerImportError | NoChildError | None] = self._loop.create_future()
        """None when the child is ready for its first message, else why there is no child."""

    @property
    def usable(self) -> bool:
        """Whether it can take another message."""
        return not (self._channel.closed or self._quitting or self._message)

    def run(
        self, request: RunRequest, deadline: float | None, on_progress: Callable[[ProgressReport], None]
    ) -> asyncio.Future[RunResult | None]:
        """Run a message. The result is None if the child ended before it had read the message."""
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
        """Ask the message to stop, and end the process by force if it does not."""
        if self._message is not None and self._message.why is None:
            self._message.why = why
            self._channel.send(Cancel(why))
            self._end.force_in(self._patience)

    def quit(self) -> None:
        """Let the child end by itself; its message is cancelled first, as by a drain."""
        if self._message is not None:
            self._last = True
            self.cancel("drain")
        elif not self._quitting:
            self._quitting = True
            self._channel.send(Quit())
            self._end.force_in(self._patience)

    def exited(self, code: int) -> None:
        """The fork server reported that the child has ended."""
        self._channel.read_rest()
        self._end.exited(code)

    def fork_failed(self, text: str) -> None:
        """The fork server could not fork this child."""
        self._set_ready(NoChildError(text))
        self._end.exited(None)

    def orphaned(self) -> None:
        """The fork server is gone, and will not report how this child ends."""
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
                # Called later, so that an exception in it does not affect this child, but before the outcome.
                self._loop.call_soon(message.on_progress, ProgressReport(message.id, from_json(body)))
        elif message is None:
            raise ProtocolError("an outcome without a message")
        elif isinstance(packet, RunDone):
            self._finish(message, Returned(body), last=packet.last)
        elif isinstance(packet, RunFailed):
            self._finish(message, _failure(body), last=packet.last)
        elif isinstance(packet, RunStopped) and message.why is not None:
            self._finish(message, Killed(message.why, by_force=False), last=packet.last)

    def _finish(self, message: _Message, ended: RunResult, *, last: bool) -> None:
        self._message = None
        _set(message.outcome, ended)
        if self._last or last or not self._end.call_off():
            self.quit()

    def _on_close(self) -> None:
        self._end.closed()

    def _ended(self, code: int | None) -> None:
        """The process has ended, and everything that it sent was received."""
        unread = self._channel.unread
        self._channel.close()
        self._set_ready(NoChildError(f"{describe_exit(code)} before it was ready"))
        if self._message is not None:
            message, self._message = self._message, None
            _set(message.outcome, self._result_of_exit(message, code, unread=unread))
        self._gone(self)

    def _result_of_exit(self, message: _Message, code: int | None, *, unread: bool) -> RunResult | None:
        if message.why is not None:
            return Killed(message.why, by_force=True) if self._end.forced else Crashed(code, describe_exit(code))
        if unread:  # the message was sent last
            return None
        return Crashed(code, "it closed its socket to the worker" if self._end.forced else describe_exit(code))

    def _set_ready(self, problem: HandlerImportError | NoChildError | None) -> None:
        _set(self.ready, problem)


def _failure(body: bytes) -> Failure:
    try:
        return Failure.from_json(json.loads(body))
    except (ValueError, TypeError, KeyError) as error:
        raise ProtocolError("the body of a packet is not a failure") from error


def _set(future: asyncio.Future[T], value: T) -> None:
    if not future.done():
        future.set_result(value)
