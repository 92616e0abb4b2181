"""What must be in Redis after each step: the scripts' promises once more, as plain Python over plain values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from steps import ATTEMPTS, DONE, GONE, Another, Answer, Claimed, Claims, Delivery

from penstock.keys import PARKED, READY, SUSPECT


class Lease(Enum):
    """A lease, seen at the moment of a step."""

    RUNS = "it runs"
    OVER = "it is over, and nobody has marked it"
    ADOPTED = "it was given by a sweeper, marked as lost, and is not over yet"
    LOST = "it is over, and marked as lost"


@dataclass(slots=True)
class Expected:
    """One stream, one group. Ids are in order, as they were sent."""

    forgets: bool
    """Redis 7 forgets an entry that somebody deleted whenever it changes hands, Redis 6 when a worker claims it."""
    stream: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    pending: dict[str, tuple[str, int]] = field(default_factory=dict)
    uncharged: dict[str, int] = field(default_factory=dict)
    crashed: dict[str, str] = field(default_factory=dict)
    parked: set[str] = field(default_factory=set)
    alive: dict[str, Lease] = field(default_factory=dict)
    consumers: set[str] = field(default_factory=set)
    done: list[str] = field(default_factory=list)
    dead: list[str] = field(default_factory=list)
    given: dict[str, int] = field(default_factory=dict)
    """The highest delivery count that each entry was ever given with."""

    # -- what is asked of it

    def owned(self, owner: str) -> list[str]:
        """In the order of the stream, also those that somebody deleted from it."""
        mine = [id_ for id_, (one, _) in self.pending.items() if one == owner]
        return sorted(mine, key=in_order)

    def nowhere(self) -> list[str]:
        """In the stream, delivered, and pending nowhere: some hand other than ours was there."""
        unread = set(self.unread)
        return [id_ for id_ in self.stream if id_ not in self.pending and id_ not in unread]

    def fence(self, delivery: Delivery) -> Answer:
        """What a step of this delivery is told."""
        now = self.pending.get(delivery.id)
        if now is None:
            return GONE
        return DONE if now == (delivery.consumer, delivery.count) else Another(*now)

    # -- steps

    def send(self, ids: Iterable[str]) -> None:
        for id_ in ids:
            self.stream.append(id_)
            self.unread.append(id_)

    def read(self, consumer: str, most: int) -> list[Delivery]:
        ids, self.unread = self.unread[:most], self.unread[most:]
        self.consumers.add(consumer)
        return [self._give(id_, consumer, 1) for id_ in ids]

    def _give(self, id_: str, consumer: str, count: int) -> Delivery:
        """Counts only grow, so no fence is ever given twice."""
        assert count > self.given.get(id_, 0), (id_, count, self.given)
        self.given[id_] = count
        self.pending[id_] = (consumer, count)
        return Delivery(id_, consumer, count)

    def claim(self, consumer: str, *, suspects: int, ready: int, how: str) -> Claims | None:
        """All suspects that wait are told, whoever is to become empty for them."""
        if self.alive.get(consumer) not in (Lease.RUNS, Lease.OVER):
            return None
        alone = how == "alone"
        gone = waiting = 0
        claimed: list[Claimed] = []
        for owner, most in ((SUSPECT, 1 if alone else suspects), (READY, 0 if alone else ready)):
            left = most
            for id_ in self.owned(owner):
                if left <= 0:
                    break
                count = self.pending[id_][1]
                free = self.uncharged.get(id_, forced(count))
                over = owner == SUSPECT and count - free >= ATTEMPTS
                alone_in = self.crashed.get(id_, "crash")
                lost_alone = over and alone_in != "crash" and int(alone_in) <= count - free
                last = over and not lost_alone
                if last != alone:
                    waiting += last
                elif id_ not in self.stream:
                    gone += 1
                    self._forget(id_)
                else:
                    left -= 1
                    self.consumers.add(consumer)
                    claimed.append(Claimed(self._give(id_, consumer, count + 1), free, owner, [], lost_alone))
                    if alone:
                        self.crashed[id_] = str(count + 1 - free)
                    elif owner == SUSPECT and not lost_alone:
                        self.crashed.pop(id_, None)
        return Claims(gone, waiting, claimed)

    def _forget(self, id_: str) -> None:
        self.pending.pop(id_, None)
        self.uncharged.pop(id_, None)
        self.crashed.pop(id_, None)

    def end(self, deliveries: Sequence[Delivery], where: list[str]) -> list[Answer]:
        """Settled, or buried."""
        answers = [self.fence(one) for one in deliveries]
        for one, answer in zip(deliveries, answers, strict=True):
            if answer == DONE:
                assert one.id not in (*self.done, *self.dead)
                where.append(one.id)
                self._forget(one.id)
                if one.id in self.stream:
                    self.stream.remove(one.id)
        return answers

    def park(self, deliveries: Sequence[Delivery], *, uncharged: int, crashed: bool) -> list[Answer]:
        answers = [self.fence(one) for one in deliveries]
        for n, one in enumerate(deliveries):
            if answers[n] == DONE:
                if uncharged:
                    self.uncharged[one.id] = self.uncharged.get(one.id, forced(one.count)) + uncharged
                self.crashed.pop(one.id, None)
                if crashed:
                    self.crashed[one.id] = "crash"
                self.parked.add(one.id)
                if not self._hand_over(one.id, PARKED):
                    answers[n] = GONE
                    self._forget(one.id)
                    self.parked.discard(one.id)
        return answers

    def give_back(self, deliveries: Sequence[Delivery], *, uncharged: int, to: str) -> list[Answer]:
        answers = [self.fence(one) for one in deliveries]
        for n, one in enumerate(deliveries):
            if answers[n] == DONE:
                self.uncharged[one.id] = self.uncharged.get(one.id, forced(one.count)) + 1 + uncharged
                if not self._hand_over(one.id, to):
                    answers[n] = GONE
                    del self.uncharged[one.id]
        return answers

    def _hand_over(self, id_: str, state: str) -> bool:
        if self.forgets and id_ not in self.stream:
            del self.pending[id_]
            return False
        self.pending[id_] = (state, self.pending[id_][1])
        return True

    def take_over(self, consumer: str, page: int) -> str:
        lease = self.alive.get(consumer)
        if lease is None:
            return "none"
        if lease in (Lease.RUNS, Lease.ADOPTED):
            return "alive"
        self.alive[consumer] = Lease.LOST
        for id_ in self.owned(consumer)[:page]:
            self._hand_over(id_, SUSPECT)
        if self.owned(consumer):
            return "more"
        self.consumers.discard(consumer)
        del self.alive[consumer]
        return "done"

    def promote(self, due: Iterable[str]) -> None:
        """These are due."""
        for id_ in due:
            if self.pending.get(id_, ("", 0))[0] == PARKED:
                self._hand_over(id_, SUSPECT if id_ in self.crashed else READY)
            self.parked.discard(id_)

    # -- lives

    def register(self, consumer: str) -> int:
        if consumer in self.alive or consumer in self.consumers:
            return 0
        self.alive[consumer] = Lease.RUNS
        self.consumers.add(consumer)
        return 1

    def renew(self, consumer: str) -> int:
        if self.alive.get(consumer) not in (Lease.RUNS, Lease.OVER):
            return 0
        self.alive[consumer] = Lease.RUNS
        return 1

    def deregister(self, consumer: str) -> int:
        if self.owned(consumer):
            return 0
        self.alive.pop(consumer, None)
        self.consumers.discard(consumer)
        return 1

    def lose(self, consumer: str) -> None:
        """Time goes by."""
        over = {Lease.RUNS: Lease.OVER, Lease.ADOPTED: Lease.LOST}
        self.alive[consumer] = over.get(self.alive[consumer], self.alive[consumer])

    def overdue(self) -> list[str]:
        for consumer in self.consumers - set(self.alive):
            self.alive[consumer] = Lease.ADOPTED
        return sorted(one for one, lease in self.alive.items() if lease in (Lease.OVER, Lease.LOST))

    # -- other hands

    def delete_entry(self, id_: str) -> None:
        self.stream.remove(id_)
        if id_ in self.unread:
            self.unread.remove(id_)

    def delete_consumer(self, owner: str) -> None:
        for id_ in self.owned(owner):
            del self.pending[id_]
        self.consumers.discard(owner)

    def delete_group(self) -> None:
        """And it is made again."""
        for kept in (self.pending, self.uncharged, self.crashed, self.parked, self.consumers, self.unread):
            kept.clear()

    def reconciled(self, pending: dict[str, tuple[str, int]]) -> None:
        """Take what is pending by now for true, if it may be."""
        for id_, now in pending.items():
            if id_ in self.pending:
                assert now == self.pending[id_]
            else:
                assert id_ in self.nowhere() or not self.forgets
                assert now[0] == READY
                assert now[1] > self.given.get(id_, 0)
                self.given[id_] = self.uncharged[id_] = now[1]
                self.crashed.pop(id_, None)
        assert set(self.pending) <= set(pending)
        self.pending = dict(pending)
        assert self.nowhere() == []
        self.parked = set(self.owned(PARKED))
        self.uncharged = {id_: count for id_, count in self.uncharged.items() if id_ in pending}
        self.crashed = {id_: what for id_, what in self.crashed.items() if id_ in pending}


def forced(count: int) -> int:
    """What a count tells of deliveries that do not count: those by force are given in thousands."""
    return count - count % 1000


def in_order(id_: str) -> tuple[int, ...]:
    return tuple(map(int, id_.split("-")))
