"""Calls the script of each step of a message as the runtime does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from redis_state import KEYS, SPEC, Argument, RedisState, Reply

from penstock.janitor.reconcile import Page, Reconciler, ReconcileResult
from penstock.keys import READY
from penstock.maintenance.group import ensure_group
from penstock.maintenance.promote import PromoteResult, promote
from penstock.scripts import script
from penstock_spec.kinds.pipeline.spec import Pipeline

LEASE = 30_000
ATTEMPTS = 3
EMPTYING = 60_000
"""Milliseconds that a worker may take to empty itself."""
DONE, GONE = 1, 0

ALIVE = (KEYS.stream, KEYS.alive)
SIDES = (KEYS.uncharged, KEYS.crashed)


@dataclass(frozen=True, slots=True)
class Delivery:
    """An entry that a consumer got: consumer and count are its fence."""

    id: str
    consumer: str
    count: int


@dataclass(frozen=True, slots=True)
class Another:
    """The answer to a step whose entry has another owner now."""

    owner: str
    count: int


Answer: TypeAlias = int | Another


@dataclass(frozen=True, slots=True)
class Claimed:
    delivery: Delivery
    uncharged: int
    owner: str
    """The owner before."""
    fields: list[bytes]
    lost_alone: bool
    """Whether its worker was lost while it ran alone."""
    left_out: int = 0
    """The bytes of its body, if that was left out."""


@dataclass(frozen=True, slots=True)
class Claims:
    gone: int
    """Entries that were deleted from the stream."""
    waiting: int
    """Suspects that wait for an empty worker, which is to be the claimer; below zero if it is another."""
    claimed: list[Claimed]

    @property
    def deliveries(self) -> list[Delivery]:
        return [one.delivery for one in self.claimed]

    @property
    def ids(self) -> list[str]:
        return [one.delivery.id for one in self.claimed]


class Steps(RedisState):
    """The scripts of a pipeline."""

    def run(self, name: str, keys: Sequence[str], *args: Argument) -> Reply:
        return self.wait(self._link.run(script(name), keys, args))

    # -- messages come in ---------------------------------------------------------------------------------------------

    def send(self, messages: int = 1) -> list[str]:
        """Send messages as any Redis client would; return their ids."""
        ids = self.calls(*(("XADD", KEYS.stream, "*", "data", f'{{"n": {n}}}') for n in range(messages)))
        return [id_.decode() for id_ in ids]

    def send_as(self, id_: str, *fields: Argument) -> None:
        """Add an entry with a given id."""
        self.ask("XADD", KEYS.stream, id_, *(fields or ("data", "{}")))

    # -- leases -------------------------------------------------------------------------------------------------------

    def register(self, consumer: str, lease: int = LEASE) -> int:
        return int(self.run("register", ALIVE, KEYS.group, consumer, lease))

    def renew(self, consumer: str, lease: int = LEASE) -> int:
        return int(self.run("renew", [KEYS.alive], consumer, lease))

    def deregister(self, consumer: str, cut: int = 0) -> int:
        return int(self.run("deregister", [*ALIVE, KEYS.position], KEYS.group, consumer, cut))

    def lose(self, consumer: str) -> None:
        """Let the lease expire."""
        self.ask("ZADD", KEYS.alive, 1, consumer)

    def overdue(self) -> list[str]:
        """Consumers whose lease has expired."""
        reply = self.run("overdue", ALIVE, KEYS.group, LEASE, 100)
        return [one.decode() for one in reply if isinstance(one, bytes)]

    def take_over(self, consumer: str, page: int = 100, *, history: bool = False) -> str:
        """Take over one page of a lost consumer's entries; returns `more` while there are more."""
        seconds, _ = self.ask("TIME")
        answer, *_ = self.run(
            "take_over",
            (*ALIVE, KEYS.crashed),
            KEYS.group,
            LEASE,
            consumer,
            page,
            int(seconds) * 1000,
            int(not history),
        )
        return str(answer.decode())

    def crash(self, consumer: str, *, history: bool = False) -> None:
        """Let a consumer crash: its lease expires and its messages become suspect."""
        self.lose(consumer)
        while self.take_over(consumer, history=history) == "more":
            pass

    # -- deliveries ---------------------------------------------------------------------------------------------------

    def read(self, consumer: str, most: int = 10_000) -> list[Delivery]:
        """Read new entries, the first delivery of each."""
        reply = self.ask("XREADGROUP", "GROUP", KEYS.group, consumer, "COUNT", most, "STREAMS", KEYS.stream, ">")
        return [Delivery(id_.decode(), consumer, 1) for _, entries in reply or () for id_, _ in entries]

    def begin(self, consumer: str, messages: int = 1) -> list[Delivery]:
        """Register a consumer that reads this number of new messages."""
        assert self.register(consumer) == 1
        self.send(messages)
        return self.read(consumer, messages)

    def claim(  # noqa: PLR0913 - the arguments of the script
        self,
        consumer: str,
        *,
        suspects: int = 100,
        ready: int = 100,
        attempts: int = ATTEMPTS,
        how: str = "idle",
        memory: str = "roomy",
        field: str = "data",
        max_size: int = 1 << 18,
        bytes_: int = 1 << 26,
    ) -> Claims:
        """Claim entries for a worker that is `idle`, `busy`, or has emptied itself to run one `alone`.

        If its `memory` is `cramped`, it runs all suspects alone.
        """
        claims = self.try_claim(
            consumer,
            suspects=suspects,
            ready=ready,
            attempts=attempts,
            how=how,
            memory=memory,
            field=field,
            max_size=max_size,
            bytes_=bytes_,
        )
        assert claims is not None, "its lease is lost"
        return claims

    def try_claim(  # noqa: PLR0913 - the arguments of the script
        self,
        consumer: str,
        *,
        suspects: int = 100,
        ready: int = 100,
        attempts: int = ATTEMPTS,
        how: str = "idle",
        memory: str = "roomy",
        field: str = "data",
        max_size: int = 1 << 18,
        bytes_: int = 1 << 26,
    ) -> Claims | None:
        """Claim entries; None if the claimer's own lease is lost."""
        args = (consumer, suspects, ready, attempts, how, EMPTYING, memory, field, max_size, bytes_)
        reply = self.run("claim", (*ALIVE, *SIDES, KEYS.position), KEYS.group, *args)
        if reply == b"lost":
            return None
        gone, waiting, *rows = reply
        claimed = [
            Claimed(
                Delivery(id_.decode(), consumer, count), uncharged, owner.decode(), fields, lost_alone == 1, left_out
            )
            for id_, count, uncharged, owner, fields, lost_alone, left_out in rows
        ]
        return Claims(gone, waiting, claimed)

    def settle(
        self, deliveries: Sequence[Delivery], *, deletes: bool = True, bounds: tuple[str, str] | None = None
    ) -> list[Answer]:
        args = (int(deletes), *(bounds or _bounds(deliveries)), *_fences(deliveries))
        return _answers(self.run("settle", (KEYS.stream, *SIDES, KEYS.finished), *_who(deliveries), *args))

    def settle_with(
        self, delivery: Delivery, result: Argument = "{}", *, stays: int = 60_000, deletes: bool = True
    ) -> Answer:
        keys = (KEYS.stream, *SIDES, KEYS.finished, KEYS.result + delivery.id)
        args = (int(deletes), result, stays, *_bounds([delivery]), *_fences([delivery]))
        return _answers(self.run("settle_with", keys, *_who([delivery]), *args))[0]

    def park(
        self,
        deliveries: Sequence[Delivery],
        *,
        wait: int = 0,
        uncharged: int = 0,
        crashed: int = 0,
        deletes: bool = True,
    ) -> list[Answer]:
        args = (int(deletes), *_bounds(deliveries), *_fences(deliveries, wait, uncharged, int(crashed)))
        return _answers(self.run("park", (KEYS.stream, KEYS.parked, *SIDES), *_who(deliveries), *args))

    def give_back(self, deliveries: Sequence[Delivery], *, uncharged: int = 0, to: str = READY) -> list[Answer]:
        args = (*_bounds(deliveries), *_fences(deliveries, uncharged, to))
        return _answers(self.run("give_back", (KEYS.stream, KEYS.uncharged), *_who(deliveries), *args))

    def bury(  # noqa: PLR0913 - the arguments of the script
        self,
        delivery: Delivery,
        fields: Sequence[Argument] = (),
        *,
        dedup: str | None = None,
        own: str = "",
        deletes: bool = True,
        copies: bool = False,
    ) -> Answer:
        """`dedup` is the message's deduplication key, `own` its own id. `copies`: Redis copies the entry's fields."""
        fields = fields or ("data", "{}", "penstock-dead-id", delivery.id)
        keys = (KEYS.stream, KEYS.dead, *SIDES, KEYS.finished, dedup or KEYS.stream)
        args = (
            int(deletes),
            own,
            -len(fields) if copies else len(fields),
            *fields,
            *_bounds([delivery]),
            *_fences([delivery]),
        )
        [answer] = self.run("bury", keys, *_who([delivery]), *args)
        if isinstance(answer, bytes):
            assert answer == self.ask("XREVRANGE", KEYS.dead, "+", "-", "COUNT", 1)[0][0], "it is the dead letter's id"
            return DONE
        return _answers([answer])[0]

    def replay(self, dead: str, *fields: Argument) -> str | None:
        """Put a dead letter back into the stream; return its new id, or None if it does not exist."""
        reply = self.run("replay", (KEYS.dead, KEYS.stream), dead, *fields)
        return None if reply is None else str(reply.decode())

    # -- work of the janitor that the steps need ----------------------------------------------------------------------

    def promote(self) -> PromoteResult:
        """Promote what is due."""
        return self.wait(promote(self._link, KEYS))

    def reconcile(self, spec: Pipeline = SPEC) -> None:
        """Repair the sorted sets by the pending list, and bring back delivered entries that are not pending."""
        reconciler = Reconciler(self._link, KEYS, spec)
        for page in 2 * reconciler.pages:  # entries of a deleted group have their own page
            while self.wait(_run_page(page)).did_something:
                pass

    def ensure(self) -> str:
        return self.wait(ensure_group(self._link, KEYS, SPEC))


async def _run_page(page: Page) -> ReconcileResult:
    return await page()


def _who(deliveries: Sequence[Delivery]) -> tuple[str, str]:
    """The group, and the only consumer of a batch."""
    [consumer] = {one.consumer for one in deliveries}
    return KEYS.group, consumer


def _bounds(deliveries: Sequence[Delivery]) -> tuple[str, str]:
    """The lowest and highest id, compared as texts like in the worker: `5-10` is below `5-9`."""
    ids = [one.id for one in deliveries]
    return min(ids), max(ids)


def _fences(deliveries: Iterable[Delivery], *more: Argument) -> list[Argument]:
    return [part for one in deliveries for part in (one.id, one.count, *more)]


def _answers(reply: Reply) -> list[Answer]:
    return [one if isinstance(one, int) else Another(one[0].decode(), one[1]) for one in reply]
