"""The worker's handle of a child accepts events in any order."""

from __future__ import annotations

import asyncio
import os
import signal
import socket

from child_processes import PROGRAMS
from event_loop import run_async, until

from penstock.isolation import Crashed, NoChildError, Returned, RunRequest
from penstock.isolation.child_handle import ChildHandle
from penstock.isolation.fork_server_client import ForkServerClient
from penstock.isolation.protocol import Packet, Prepare, Ready, RunDone, RunFailed, encode

MESSAGE = RunRequest(b"1-0", ((b"do", b"it"),), 1, 1, "me")


class NoForkServer:
    """A fork server that must receive no request."""

    def signal(self, child: int, which: signal.Signals) -> None:
        """Fail."""
        raise AssertionError((child, which))

    def kill(self) -> None:
        """Fail."""
        raise AssertionError


async def result_of(*sent: tuple[Packet, bytes], code: int) -> object:
    """Return the result of a message whose child sends these packets, where the exit arrives first."""
    ours, theirs = socket.socketpair()
    ended: list[ChildHandle] = []
    child = ChildHandle(ours, NoForkServer(), number=1, patience=1.0, gone=ended.append)
    outcome = child.run(MESSAGE, None, print)
    with theirs:
        theirs.recv(65536)
        theirs.sendall(b"".join(encode(packet, body) for packet, body in sent))
    child.exited(code)
    assert ended == [child]
    assert not child.usable
    return await outcome


def test_packets_sent_before_the_exit_count() -> None:
    """The exit arrives over another socket, and may be faster."""

    async def scenario() -> None:
        ready = Ready(os.getpid()), b""
        assert await result_of(ready, (RunDone(last=False), b"result"), code=3) == Returned(b"result")
        assert await result_of(ready, code=3) == Crashed(3, "it ended with code 3")
        assert await result_of(ready, (RunFailed(last=False), b"nonsense"), code=3) == Crashed(
            3, "it ended with code 3"
        )

    run_async(scenario())


def test_requesting_a_child_from_a_dead_fork_server_fails() -> None:
    """The fork server died after the last check."""

    async def scenario() -> None:
        lifeline = os.pipe()
        closing = asyncio.get_running_loop().create_future()
        client = await ForkServerClient.open(Prepare("actions:make", {}, (PROGRAMS,), None), lifeline[0], closing)
        client.kill()
        await until(lambda: client.closed, "the client has noticed its end")
        child = client.request_child(1.0, lambda _: None)
        assert isinstance(await child.ready, NoChildError)
        await asyncio.gather(client.close(), client.close())
        for end in lifeline:
            os.close(end)

    run_async(scenario())
