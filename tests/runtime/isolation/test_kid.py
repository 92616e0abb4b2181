"""What the worker makes of what it hears, in whatever order it hears it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket

from offspring import WORKS
from promises import keep, until

from penstock.isolation import Crashed, Errand, NoChild, Returned
from penstock.isolation.births import Births
from penstock.isolation.kid import Kid
from penstock.isolation.words import Done, Prepare, Raised, Ready, Word, frame

MESSAGE = Errand(b"1-0", ((b"do", b"it"),), 1, 1, "me")


class NoNursery:
    """It is asked for nothing here."""

    def signal(self, child: int, which: signal.Signals) -> None:
        """Fail."""
        raise AssertionError((child, which))

    def kill(self) -> None:
        """Fail."""
        raise AssertionError


async def outcome_of(*said: tuple[Word, bytes], code: int) -> object:
    """What comes of a message when a child says this, and its end is heard of before any of it."""
    ours, theirs = socket.socketpair()
    gone: list[Kid] = []
    kid = Kid(ours, NoNursery(), number=1, patience=1.0, gone=gone.append)
    outcome = kid.begin(MESSAGE, None, print)
    with theirs:
        theirs.recv(65536)
        theirs.sendall(b"".join(frame(word, body) for word, body in said))
    kid.exited(code)
    assert gone == [kid]
    assert not kid.usable
    return await outcome


def test_what_was_said_before_the_end_counts() -> None:
    """The end comes by another way, and may be the faster."""

    async def promise() -> None:
        ready = Ready(os.getpid()), b""
        assert await outcome_of(ready, (Done(last=False), b"result"), code=3) == Returned(b"result")
        assert await outcome_of(ready, code=3) == Crashed(3, "it ended with code 3")
        assert await outcome_of(ready, (Raised(last=False), b"nonsense"), code=3) == Crashed(3, "it ended with code 3")

    keep(promise())


def test_who_asks_a_nursery_that_is_gone_is_told() -> None:
    """It has died since it was found alive."""

    async def promise() -> None:
        lifeline = os.pipe()
        unwanted = asyncio.get_running_loop().create_future()
        births = await Births.open(Prepare("doing:make", {}, (WORKS,), None), lifeline[0], unwanted)
        births.kill()
        await until(lambda: births.over, "its end is heard")
        kid = births.ask(1.0, lambda _: None)
        assert isinstance(await kid.ready, NoChild)
        await asyncio.gather(births.close(), births.close())
        for end in lifeline:
            os.close(end)

    keep(promise())
