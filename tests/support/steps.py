"""The steps of messages, one script each, called as the runtime calls them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from behind import SPEC, Behind, Sent, text

from penstock.janitor.reconcile import Page, Reconciled, Reconciler
from penstock.keys import READY, Keys
from penstock.scripts import script
from penstock.tending.group import ensure
from penstock.tending.tend import Tended, tend
from penstock.wire.errors import Reply

LEASE = 30_000
ATTEMPTS = 3
DONE, GONE = 1, 0


@dataclass(frozen=True, slots=True)
class Delivery:
    """An entry as it was given to a consumer: the last two are its fence."""

    id: str
    consumer: str
    count: int


@dataclass(frozen=True, slots=True)
class Another:
    """What a step is told of a delivery that is not its consumer's any more."""

    owner: str
    count: int


Answer: TypeAlias = int | Another


@dataclass(frozen=True, slots=True)
class Claimed:
    delivery: Delivery
    uncharged: int
    owner: str
    """Whose it was before."""
    fields: list[bytes]


@dataclass(frozen=True, slots=True)
class Claims:
    gone: int
    """Entries that somebody had deleted from the stream."""
    waiting: int
    """Suspects that wait for an empty worker."""
    claimed: list[Claimed]

    @property
    def deliveries(self) -> list[Delivery]:
        return [one.delivery for one in self.claimed]

    @property
    def ids(self) -> list[str]:
        return [one.delivery.id for one in self.claimed]


class Steps(Behind):
    """A pipeline's scripts, over one link."""

    def run(self, name: str, keys: Sequence[str], *args: Sent) -> Reply:
        return self._runner.run(self._link.run(script(name), keys, args))

    # -- messages come in ---------------------------------------------------------------------------------------------

    def send(self, messages: int = 1) -> list[str]:
        """Entries of anyone's make; their ids."""
        commands = [("XADD", self.keys.stream, "*", "data", f'{{"n": {n}}}') for n in range(messages)]
        return [text(one) for one in self._runner.run(self._link.calls(commands)) if isinstance(one, bytes)]

    def send_as(self, id_: str, *fields: Sent) -> str:
        """One entry, under an id of one's choice."""
        return text(self.ask("XADD", self.keys.stream, id_, *(fields or ("data", "{}"))))

    # -- lives --------------------------------------------------------------------------------------------------------

    def register(self, consumer: str, lease: int = LEASE) -> int:
        return cast("int", self.run("register", self._lives, self.keys.group, consumer, lease))

    def renew(self, consumer: str, lease: int = LEASE) -> int:
        return cast("int", self.run("renew", [self.keys.alive], consumer, lease))

    def deregister(self, consumer: str) -> int:
        return cast("int", self.run("deregister", self._lives, self.keys.group, consumer))

    def lose(self, consumer: str) -> None:
        """Its lease has run out."""
        self.ask("ZADD", self.keys.alive, 1, consumer)

    def overdue(self) -> list[str]:
        """Consumers whose lease is over."""
        told = cast("list[int | bytes]", self.run("overdue", self._lives, self.keys.group, LEASE, 100))
        return [text(one) for one in told if isinstance(one, bytes)]

    def take_over(self, consumer: str, page: int = 100) -> str:
        """One page of what a lost consumer owns; `more` while there is more."""
        time = cast("list[bytes]", self.ask("TIME"))
        told = self.run("take_over", self._lives, self.keys.group, LEASE, consumer, page, int(time[0]) * 1000)
        return text(cast("list[bytes]", told)[0])

    def crash(self, consumer: str) -> None:
        """Its process is gone, its lease over, and all that it held is suspect."""
        self.lose(consumer)
        while self.take_over(consumer) == "more":
            pass

    # -- deliveries ---------------------------------------------------------------------------------------------------

    def read(self, consumer: str, most: int = 10_000) -> list[Delivery]:
        """New entries become this consumer's, the first delivery of each."""
        command = ("XREADGROUP", "GROUP", self.keys.group, consumer, "COUNT", most, "STREAMS", self.keys.stream, ">")
        told = self.ask(*command)
        if told is None:
            return []
        [[_, entries]] = cast("list[tuple[bytes, list[tuple[bytes, Reply]]]]", told)
        return [Delivery(text(id_), consumer, 1) for id_, _ in entries]

    def begin(self, consumer: str, messages: int = 1) -> list[Delivery]:
        """A new life that has read so many new messages."""
        assert self.register(consumer) == 1
        self.send(messages)
        return self.read(consumer, messages)

    def claim(
        self, consumer: str, *, suspects: int = 100, ready: int = 100, attempts: int = ATTEMPTS, alone: bool = False
    ) -> Claims | None:
        """Ready entries and suspects; None when the claimer's own lease is lost."""
        keys = (self.keys.stream, self.keys.alive, self.keys.uncharged, self.keys.crashed)
        args = (self.keys.group, consumer, suspects, ready, attempts, "alone" if alone else "")
        told = self.run("claim", keys, *args)
        if told == b"lost":
            return None
        gone, waiting, *rest = cast("list[int]", told)
        rows = cast("list[tuple[bytes, int, int, bytes, list[bytes]]]", rest)
        claimed = [
            Claimed(Delivery(text(id_), consumer, count), uncharged, text(owner), fields)
            for id_, count, uncharged, owner, fields in rows
        ]
        return Claims(gone, waiting, claimed)

    def settle(
        self, deliveries: Sequence[Delivery], *, deletes: bool = True, bounds: tuple[str, str] | None = None
    ) -> list[Answer]:
        keys = (self.keys.stream, self.keys.uncharged, self.keys.crashed)
        args = (int(deletes), *(bounds or _bounds(deliveries)), *_fences(deliveries))
        return _answers(self.run("settle", keys, *_who(self.keys, deliveries), *args))

    def settle_with(self, delivery: Delivery, result: Sent = "{}", *, stays: int = 60_000) -> Answer:
        keys = (self.keys.stream, self.keys.uncharged, self.keys.crashed, self.keys.result + delivery.id)
        args = (1, result, stays, *_bounds([delivery]), delivery.id, delivery.count)
        [answer] = _answers(self.run("settle_with", keys, *_who(self.keys, [delivery]), *args))
        return answer

    def park(
        self, deliveries: Sequence[Delivery], *, wait: int = 0, uncharged: int = 0, crashed: bool = False
    ) -> list[Answer]:
        keys = (self.keys.stream, self.keys.parked, self.keys.uncharged, self.keys.crashed)
        args = (*_bounds(deliveries), *_fences(deliveries, wait, uncharged, int(crashed)))
        return _answers(self.run("park", keys, *_who(self.keys, deliveries), *args))

    def give_back(self, deliveries: Sequence[Delivery], *, uncharged: int = 0, to: str = READY) -> list[Answer]:
        keys = (self.keys.stream, self.keys.uncharged)
        args = (*_bounds(deliveries), *_fences(deliveries, uncharged, to))
        return _answers(self.run("give_back", keys, *_who(self.keys, deliveries), *args))

    def bury(
        self, delivery: Delivery, letter: Sequence[Sent] = (), *, dedup: str | None = None, own: str = ""
    ) -> Answer:
        """`dedup` is the message's deduplication key, `own` its own id."""
        letter = letter or ("data", "{}", "penstock-dead-id", delivery.id)
        keys = (self.keys.stream, self.keys.dead, self.keys.uncharged, self.keys.crashed, dedup or self.keys.stream)
        args = (1, own, len(letter), *letter, *_bounds([delivery]), delivery.id, delivery.count)
        [answer] = _answers(self.run("bury", keys, *_who(self.keys, [delivery]), *args))
        return answer

    def replay(self, dead: str, *fields: Sent) -> str | None:
        """A dead letter goes back into the stream; its new id, or None when it is not there."""
        told = self.run("replay", (self.keys.dead, self.keys.stream), dead, *fields)
        return None if told is None else text(told)

    # -- the janitor's, as far as these steps need them ---------------------------------------------------------------

    def tend(self) -> Tended:
        """What is due goes on."""
        return self._runner.run(tend(self._link, self.keys))

    def reconcile(self) -> None:
        """The index is made to follow the truth, and what is pending nowhere comes back by force."""
        for page in Reconciler(self._link, self.keys, SPEC).pages:
            while self._reconcile(page).found:
                pass

    def _reconcile(self, page: Page) -> Reconciled:
        async def one() -> Reconciled:
            return await page()

        return self._runner.run(one())

    def ensure(self) -> str:
        return self._runner.run(ensure(self._link, self.keys, SPEC))

    @property
    def _lives(self) -> tuple[str, str]:
        return self.keys.stream, self.keys.alive


def _who(keys: Keys, deliveries: Sequence[Delivery]) -> tuple[str, str]:
    """The group, and the one consumer that a batch is of."""
    [consumer] = {one.consumer for one in deliveries}
    return keys.group, consumer


def _bounds(deliveries: Sequence[Delivery]) -> tuple[str, str]:
    """As the worker words them: by text, so `5-10` stands below `5-9`."""
    ids = [one.id for one in deliveries]
    return min(ids), max(ids)


def _fences(deliveries: Iterable[Delivery], *more: Sent) -> list[Sent]:
    return [part for one in deliveries for part in (one.id, one.count, *more)]


def _answers(told: Reply) -> list[Answer]:
    answers = cast("list[int | tuple[bytes, int]]", told)
    return [one if isinstance(one, int) else Another(text(one[0]), one[1]) for one in answers]
