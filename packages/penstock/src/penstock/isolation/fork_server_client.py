"""The worker's side of a fork server: requests children, and receives how they ended."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from typing import Any

from penstock.isolation.channel import Channel
from penstock.isolation.child_handle import ChildHandle
from penstock.isolation.errors import CLOSING, HandlerImportError, NoChildError, os_errors_as_no_child
from penstock.isolation.protocol import Exited, Fork, ForkFailed, Hello, ImportFailed, Packet, Prepare, Prepared, Signal
from penstock.isolation.runs import describe_exit

_SECONDS_TO_END = 5.0
"""Time for a fork server to end after its socket was closed."""


class DiedWhileImportingError(HandlerImportError):
    """The fork server was killed, or the import ended its process."""


class ForkServerClient:
    """One fork server, from its start to its end."""

    def __init__(self, sock: socket.socket, process: asyncio.subprocess.Process, prepare: Prepare) -> None:
        """See `open`."""
        self._prepare = prepare
        self._process = process
        self._ended = asyncio.ensure_future(process.wait())
        self._children: dict[int, ChildHandle] = {}
        self._numbers = itertools.count(1)
        self._prepared: asyncio.Future[Prepared | HandlerImportError] = asyncio.get_running_loop().create_future()
        self._channel = Channel(sock, self._on_packet, self._on_close)
        self.each_imports = ""
        """Why each child imports the handler itself; empty if one import serves all."""

    @classmethod
    async def open(
        cls, prepare: Prepare, lifeline: int, closing: asyncio.Future[None], kept: Sequence[int] = ()
    ) -> ForkServerClient:
        """Start a fork server and wait until it has imported the handler, or until `closing` is done.

        It and its children keep the files `kept` open, under the same numbers.

        Must not be cancelled: uvloop would forget a process that it is starting.
        """
        with os_errors_as_no_child():
            own_end, other_end = socket.socketpair()
        try:
            with other_end, os_errors_as_no_child():
                process = await asyncio.create_subprocess_exec(
                    *(
                        sys.executable,
                        "-P",
                        "-m",
                        "penstock.isolation.fork_server",
                        str(other_end.fileno()),
                        ",".join(map(str, (lifeline, *kept))),
                    ),
                    stdin=asyncio.subprocess.DEVNULL,
                    pass_fds=(other_end.fileno(), lifeline, *kept),
                    start_new_session=True,
                )
        except BaseException:
            own_end.close()
            raise
        client = cls(own_end, process, prepare)
        try:
            await client._until_imported(closing)
        except BaseException:
            client.kill()  # its import may never end
            await client.close()
            raise
        return client

    @property
    def closed(self) -> bool:
        """Whether it has ended or was closed; its children may still run."""
        return self._channel.closed

    def request_child(self, patience: float, gone: Callable[[ChildHandle], None]) -> ChildHandle:
        """Request a child."""
        with os_errors_as_no_child():
            own_end, other_end = socket.socketpair()
        number = next(self._numbers)

        def forget(child: ChildHandle) -> None:
            self._children.pop(number, None)
            gone(child)

        child = ChildHandle(own_end, self, number=number, patience=patience, gone=forget)
        self._children[number] = child
        self._channel.send(Fork(number), pass_socket=other_end)
        if self.closed:
            child.orphaned()
        return child

    def signal(self, child: int, which: signal.Signals) -> None:
        """Send a signal to a child and everything that it has started."""
        self._channel.send(Signal(child, which))

    def kill(self) -> None:
        """Kill a fork server that is stuck."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def close(self) -> None:
        """Close the socket, and wait until the process has ended."""
        self._channel.close()
        self._orphan()
        await asyncio.wait([self._ended], timeout=_SECONDS_TO_END)
        self.kill()
        await self._ended

    async def _until_imported(self, closing: asyncio.Future[None]) -> None:
        either: list[asyncio.Future[Any]] = [self._prepared, self._ended, closing]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if closing.done():
            raise NoChildError(CLOSING)
        self._channel.read_rest()
        if not self._prepared.done():
            code = await self._ended
            raise DiedWhileImportingError(f"the process that imported the handler is gone: {describe_exit(code)}")
        answer = self._prepared.result()
        if isinstance(answer, HandlerImportError):
            raise answer
        self.each_imports = answer.each_imports

    def _on_packet(self, packet: Packet, _: bytes) -> None:
        if isinstance(packet, Hello):
            self._channel.send(self._prepare)
        elif isinstance(packet, Prepared):
            self._prepared.set_result(packet)
        elif isinstance(packet, ImportFailed):
            self._prepared.set_result(HandlerImportError(packet.text))
        elif isinstance(packet, Exited | ForkFailed) and (child := self._children.get(packet.child)):
            if isinstance(packet, Exited):
                child.exited(packet.code)
            else:
                child.fork_failed(packet.text)

    def _on_close(self) -> None:
        self._channel.close()
        self._orphan()

    def _orphan(self) -> None:
        for child in list(self._children.values()):
            child.orphaned()
