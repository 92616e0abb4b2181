"""A pod's life in Redis, and one lease for all that it holds.

It runs in the loop of another thread, so that a handler that blocks the pod's loop does not lose the lease. One that
holds the interpreter's lock for longer does: for a pipeline's, `isolation: process` is there.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Protocol

from penstock.observe.events import Activity
from penstock.wire.errors import RedisTrouble

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
LETTERS = 8
RETRY = 1.0


def incarnation(name: str) -> str:
    """A name for one life. Its end is how a sweeper knows a consumer of our kind; see `overdue.lua`."""
    return f"{name}~{''.join(secrets.choice(ALPHABET) for _ in range(LETTERS))}"


class Holds(Protocol):
    """How a life is held in Redis; each step raises RedisTrouble."""

    def begin(self, life: str, lease: int) -> Awaitable[bool]:
        """A new one, for so many ms; false where there is one of this name."""

    def renew(self, life: str, lease: int) -> Awaitable[bool]:
        """False when it is over."""


class Living(Protocol):
    """Who is told how the lease fares, in the pod's own loop."""

    def registered(self, consumer: str) -> None:
        """A life has begun."""

    def renewed(self, consumer: str) -> None:
        """It goes on."""

    def lost(self, consumer: str) -> None:
        """It is over; what it held is taken over."""

    def trouble(self, activity: Activity, error: RedisTrouble) -> None:
        """Redis did not answer as it should."""


class Lease:
    """Registers, renews, and begins anew when the lease is lost."""

    def __init__(  # noqa: PLR0913 - what it works with, each of a kind of its own
        self,
        holds: Holds,
        name: str,
        lease: int,
        living: Living,
        tell: Callable[..., object],
        *,
        named: Callable[[str], str] = incarnation,
    ) -> None:
        """`lease` is in milliseconds; `tell` calls what it is given in the pod's own loop."""
        self._holds = holds
        self._name = name
        self._lease = lease
        self._living = living
        self._tell = tell
        self._named = named
        self._abandoned: set[str] = set()
        self._wake = asyncio.Event()

    def abandon(self, consumer: str) -> None:
        """This life is over, whatever Redis says: its group vanished. Called in the lease's own loop."""
        self._abandoned.add(consumer)
        self._wake.set()

    async def run(self) -> None:
        """Until cancelled. What has begun at that moment stays; the pod ends it when it owns nothing."""
        while True:
            await self._live(await self._begin())

    async def _begin(self) -> str:
        while True:
            consumer = self._named(self._name)  # a registration that was not answered is never repeated
            try:
                taken = await self._holds.begin(consumer, self._lease)
            except RedisTrouble as error:
                self._tell(self._living.trouble, Activity.RENEWING, error)
                await asyncio.sleep(RETRY)
                continue
            if taken:
                self._tell(self._living.registered, consumer)
                return consumer

    async def _live(self, consumer: str) -> None:
        wait = self._lease / 3000
        while True:
            self._wake.clear()
            if consumer in self._abandoned:
                self._abandoned.discard(consumer)
                break
            try:
                await asyncio.wait_for(self._wake.wait(), wait)
            except TimeoutError:
                pass
            else:
                continue
            try:
                goes_on = await self._holds.renew(consumer, self._lease)
            except RedisTrouble as error:
                self._tell(self._living.trouble, Activity.RENEWING, error)
                wait = min(RETRY, self._lease / 3000)
                continue
            if not goes_on:
                break
            self._tell(self._living.renewed, consumer)
            wait = self._lease / 3000
        self._tell(self._living.lost, consumer)
