"""What a network does to one connection: loses replies, holds them, slows them, cuts them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from random import Random

from faulty_connection import Cable

from .supervised import pause

SLOW = 20_000.0
"""Bytes a second of a slow link."""


def lose(cable: Cable, rng: Random) -> None:
    """The requests arrive, and the connection breaks before the reply."""
    cable.lose_answers()
    pause(rng.uniform(0.2, 1.0))
    cable.mend()


def cut(cable: Cable, _: Random) -> None:
    """All connections break at any moment: before a request, before a reply, or in the middle of one."""
    cable.cut()


def delay(cable: Cable, rng: Random) -> None:
    """Replies come late, then all at once."""
    cable.hold_answers()
    pause(rng.uniform(0.2, 2.0))
    cable.mend()


def slow(cable: Cable, rng: Random) -> None:
    """A slow link: replies arrive in parts."""
    cable.slow_down(SLOW)
    pause(rng.uniform(0.5, 2.0))
    cable.mend()


def black_hole(cable: Cable, rng: Random) -> None:
    """All packets disappear for longer than the lease; then the connections break."""
    cable.hold_all()
    pause(rng.uniform(11.0, 14.0))
    cable.cut()
    cable.mend()


QUICK: tuple[Callable[[Cable, Random], None], ...] = (lose, lose, cut, cut, delay, slow)


def beside(task: Callable[[Cable, Random], None], cable: Cable, rng: Random) -> threading.Thread:
    """Do this to one connection, beside faults of others."""
    thread = threading.Thread(target=task, args=(cable, Random(rng.random())), daemon=True)  # noqa: S311 - no secret
    thread.start()
    return thread
