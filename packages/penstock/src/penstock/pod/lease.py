"""Registers a consumer and renews its lease, which covers everything that the consumer owns.

The lease is renewed in the side loop, so that a handler that blocks the main loop does not lose it. A handler that
holds the interpreter's lock still loses it; for pipelines, `isolation: process` helps.
"""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Awaitable, Callable
from typing import Protocol

from penstock.observe.events import Activity
from penstock.pod.lease_term import LeaseTerm
from penstock.wire.errors import RedisTrouble

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
LETTERS = 8
RETRY = 1.0
"""Seconds before a failed call to Redis is repeated."""


def new_consumer_name(name: str) -> str:
    """`<name>~<8 random characters>`: by this form, scripts recognize Penstock's consumers (see `overdue.lua`)."""
    return f"{name}~{''.join(secrets.choice(ALPHABET) for _ in range(LETTERS))}"


class Registration(Protocol):
    """A consumer in Redis. Each call may raise RedisTrouble."""

    def begin(self, consumer: str, lease: int) -> Awaitable[bool]:
        """Register a consumer for this many milliseconds; False if the name exists."""

    def renew(self, consumer: str, lease: int) -> Awaitable[bool]:
        """Renew its lease; False if the lease was lost."""


class LeaseListener(Protocol):
    """Gets notified of changes of the lease, in the main loop."""

    def registered(self, consumer: str) -> None:
        """A new consumer is registered."""

    def renewed(self, consumer: str) -> None:
        """Its lease was renewed."""

    def lost(self, consumer: str) -> None:
        """The lease was lost; others take over what the consumer owned."""

    def trouble(self, activity: Activity, error: RedisTrouble) -> None:
        """Redis refused, or did not answer."""


class Lease:
    """Registers a consumer, renews its lease, and registers a new consumer when the lease was lost."""

    def __init__(  # noqa: PLR0913 - its collaborators, each of another type
        self,
        registration: Registration,
        name: str,
        lease: int,
        listener: LeaseListener,
        call: Callable[..., object],
        *,
        new_name: Callable[[str], str] = new_consumer_name,
        term: LeaseTerm | None = None,
        expired: Callable[[str], object] | None = None,
    ) -> None:
        """`lease` is in milliseconds; `call` calls a function in the main loop.

        `expired` is called there with the consumer when the lease was not renewed in time, so that it may be lost.
        """
        self._registration = registration
        self._name = name
        self._lease = lease
        self._listener = listener
        self._call = call
        self._new_name = new_name
        self._term = term or LeaseTerm()
        self._expired = expired
        self._timer: asyncio.TimerHandle | None = None
        self._abandoned: set[str] = set()
        self._wake = asyncio.Event()

    def abandon(self, consumer: str) -> None:
        """Treat this consumer's lease as lost, for example because its group was destroyed. Called in the side loop."""
        self._abandoned.add(consumer)
        self._wake.set()

    async def run(self) -> None:
        """Run until cancelled. The consumer stays registered; the pod deregisters it when it owns nothing."""
        while True:
            await self._keep(await self._register())

    async def _register(self) -> str:
        while True:
            consumer = self._new_name(self._name)  # a name whose registration was not answered is never used again
            sent = self._term.now()
            try:
                registered = await self._registration.begin(consumer, self._lease)
            except RedisTrouble as error:
                self._call(self._listener.trouble, Activity.RENEWING, error)
                await asyncio.sleep(RETRY)
                continue
            if registered:
                self._term.begin(consumer, sent + self._lease / 1000)
                self._call(self._listener.registered, consumer)
                return consumer

    async def _keep(self, consumer: str) -> None:
        try:
            await self._renew_until_lost(consumer)
        finally:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        self._term.renew(-math.inf)
        self._call(self._listener.lost, consumer)

    async def _renew_until_lost(self, consumer: str) -> None:
        wait = self._lease / 3000
        self._watch(consumer)
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
            sent = self._term.now()
            try:
                renewed = await self._registration.renew(consumer, self._lease)
            except RedisTrouble as error:
                self._call(self._listener.trouble, Activity.RENEWING, error)
                wait = min(RETRY, self._lease / 3000)
                continue
            if not renewed:
                break
            self._term.renew(sent + self._lease / 1000)
            self._call(self._listener.renewed, consumer)
            if self._timer is None:
                self._watch(consumer)
            wait = self._lease / 3000

    def _watch(self, consumer: str) -> None:
        """Tell when the term is over, even while a call to Redis waits for its reply."""
        if self._expired is None:
            return
        left = self._term.left()
        if left > 0:
            self._timer = asyncio.get_running_loop().call_later(left, self._watch, consumer)
        else:
            self._timer = None
            self._call(self._expired, consumer)
