"""What the worker makes of what it hears, in whatever order it hears it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket

from offspring import WORKS
from promises import keep, until

from penstock.isolation import Crashed, NoChildError, Returned, RunRequest
from penstock.isolation.child_handle import ChildHandle
from penstock.isolation.fork_server_client import ForkServerClient
from penstock.isolation.protocol import Packet, Prepare, Ready, RunDone, RunFailed, encode

MESSAGE = RunRequest(b"1-0", ((b"do", b"it"),), 1, 1, "me")


class NoForkServer:
    """It is asked for nothing here."""

    def signal(self, child: int, which: signal.Signals) -> None:
        """Fail."""
        raise AssertionError((child, which))

    def kill(self) -> None:
        """Fail."""
        raise AssertionError


async def result_of(*said: tuple[Packet, bytes], code: int) -> object:
    """What comes of a message when a child says this, and its end is heard of before any of it."""
    ours, theirs = socket.socketpair()
    gone: list[ChildHandle] = []
    child = ChildHandle(ours, NoForkServer(), number=1, patience=1.0, gone=gone.append)
    outcome = child.run(MESSAGE, None, print)
    with theirs:
        theirs.recv(65536)
        theirs.sendall(b"".join(encode(packet, body) for packet, body in said))
    child.exited(code)
    assert gone == [child]
    assert not child.usable
    return await outcome


def test_what_was_said_before_the_end_counts() -> None:
    """The end comes by another way, and may be the faster."""

    async def promise() -> None:
        ready = Ready(os.getpid()), b""
        assert await result_of(ready, (RunDone(last=False), b"result"), code=3) == Returned(b"result")
        assert await result_of(ready, code=3) == Crashed(3, "it ended with code 3")
        assert await result_of(ready, (RunFailed(last=False), b"nonsense"), code=3) == Crashed(
            3, "it ended with code 3"
        )

    keep(promise())


def test_who_asks_a_fork_server_that_is_gone_is_told() -> None:
    """It has died since it was found alive."""

    async def promise() -> None:
        lifeline = os.pipe()
        closing = asyncio.get_running_loop().create_future()
        client = await ForkServerClient.open(Prepare("doing:make", {}, (WORKS,), None), lifeline[0], closing)
        client.kill()
        await until(lambda: client.closed, "its end is heard")
        child = client.request_child(1.0, lambda _: None)
        assert isinstance(await child.ready, NoChildError)
        await asyncio.gather(client.close(), client.close())
        for end in lifeline:
            os.close(end)

    keep(promise())
