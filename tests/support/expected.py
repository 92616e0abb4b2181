"""A model of the scripts in plain Python: what Redis must hold after each step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from steps import ATTEMPTS, DONE, GONE, Another, Answer, Claimed, Claims, Delivery

from penstock.keys import PARKED, READY, SUSPECT


class Lease(Enum):
    """The state of a lease during a step."""

    VALID = "valid"
    EXPIRED = "expired and not marked"
    ADOPTED = "given to a consumer that had none, marked as lost, not yet expired"
    LOST = "expired and marked as lost"


@dataclass(slots=True)
class Expected:
    """One stream with one group. Ids are in the order of sending."""

    forgets: bool
    """Redis 7 drops a deleted entry from the pending list when its owner changes, Redis 6 when a worker claims it."""
    stream: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    pending: dict[str, tuple[str, int]] = field(default_factory=dict)
    uncharged: dict[str, int] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)
    """The attempts of each entry when its uncharged deliveries were recorded last."""
    crashed: dict[str, str] = field(default_factory=dict)
    parked: set[str] = field(default_factory=set)
    alive: dict[str, Lease] = field(default_factory=dict)
    consumers: set[str] = field(default_factory=set)
    done: list[str] = field(default_factory=list)
    dead: list[str] = field(default_factory=list)
    highest: dict[str, int] = field(default_factory=dict)
    """The highest delivery count of each entry so far."""

    # -- queries

    def owned(self, owner: str) -> list[str]:
        """The entries of an owner in stream order, including those deleted from the stream."""
        ids = [id_ for id_, (one, _) in self.pending.items() if one == owner]
        return sorted(ids, key=in_order)

    def nowhere(self) -> list[str]:
        """Entries that were delivered and are not pending, because another client interfered."""
        unread = set(self.unread)
        return [id_ for id_ in self.stream if id_ not in self.pending and id_ not in unread]

    def fence(self, delivery: Delivery) -> Answer:
        """The answer to a step of this delivery."""
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
        """Delivery counts only grow, so no fence is used twice."""
        assert count > self.highest.get(id_, 0), (id_, count, self.highest)
        self.highest[id_] = count
        self.pending[id_] = (consumer, count)
        return Delivery(id_, consumer, count)

    def claim(self, consumer: str, *, suspects: int, ready: int, how: str) -> Claims | None:
        """Claim entries; the reply counts all suspects that wait for an empty worker."""
        if self.alive.get(consumer) not in (Lease.VALID, Lease.EXPIRED):
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
        """Settle or bury; `where` collects the ids."""
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
                    self._uncharge(one, uncharged)
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
                self._uncharge(one, 1 + uncharged)
                if not self._hand_over(one.id, to):
                    answers[n] = GONE
                    del self.uncharged[one.id]
        return answers

    def _uncharge(self, one: Delivery, more: int) -> None:
        self.uncharged[one.id] = self.uncharged.get(one.id, forced(one.count)) + more
        self.attempts[one.id] = one.count - self.uncharged[one.id]

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
        if lease in (Lease.VALID, Lease.ADOPTED):
            return "alive"
        self.alive[consumer] = Lease.LOST
        for id_ in self.owned(consumer)[:page]:
            self._hand_over(id_, SUSPECT)
        if self.owned(consumer):
            return "more"
        self.consumers.discard(consumer)
        del self.alive[consumer]
        return "done"

    def promote(self, due: Iterable[str], pending: dict[str, tuple[str, int]]) -> None:
        """Promote the entries that are due; bring back those that are pending nowhere, with the counts of `pending`."""
        for id_ in due:
            if self.pending.get(id_, ("", 0))[0] == PARKED:
                self._hand_over(id_, SUSPECT if id_ in self.crashed else READY)
            elif id_ not in self.pending and (id_ in pending or id_ in self.nowhere()):
                self._bring_back(id_, pending[id_])
            self.parked.discard(id_)

    # -- leases

    def register(self, consumer: str) -> int:
        if consumer in self.alive or consumer in self.consumers:
            return 0
        self.alive[consumer] = Lease.VALID
        self.consumers.add(consumer)
        return 1

    def renew(self, consumer: str) -> int:
        if self.alive.get(consumer) not in (Lease.VALID, Lease.EXPIRED):
            return 0
        self.alive[consumer] = Lease.VALID
        return 1

    def deregister(self, consumer: str) -> int:
        if self.owned(consumer):
            return 0
        self.alive.pop(consumer, None)
        self.consumers.discard(consumer)
        return 1

    def lose(self, consumer: str) -> None:
        """Let the lease expire."""
        expired = {Lease.VALID: Lease.EXPIRED, Lease.ADOPTED: Lease.LOST}
        self.alive[consumer] = expired.get(self.alive[consumer], self.alive[consumer])

    def overdue(self) -> list[str]:
        for consumer in self.consumers - set(self.alive):
            self.alive[consumer] = Lease.ADOPTED
        return sorted(one for one, lease in self.alive.items() if lease in (Lease.EXPIRED, Lease.LOST))

    # -- interference by other clients

    def delete_entry(self, id_: str) -> None:
        self.stream.remove(id_)
        if id_ in self.unread:
            self.unread.remove(id_)

    def delete_consumer(self, owner: str) -> None:
        for id_ in self.owned(owner):
            del self.pending[id_]
        self.consumers.discard(owner)

    def delete_group(self) -> None:
        """Delete the group and create it again."""
        for kept in (self.pending, self.uncharged, self.crashed, self.parked, self.alive, self.consumers, self.unread):
            kept.clear()

    def reconciled(self, pending: dict[str, tuple[str, int]]) -> None:
        """Check that the pending list is allowed after reconciling, and adopt it."""
        for id_, now in pending.items():
            if id_ in self.pending:
                assert now == self.pending[id_]
            else:
                self._bring_back(id_, now)
        assert set(self.pending) <= set(pending)
        self.pending = dict(pending)
        assert self.nowhere() == []
        self.parked = set(self.owned(PARKED))
        self.uncharged = {id_: count for id_, count in self.uncharged.items() if id_ in pending}
        self.crashed = {id_: what for id_, what in self.crashed.items() if id_ in pending}

    def _bring_back(self, id_: str, now: tuple[str, int]) -> None:
        """Check an entry that was pending nowhere and is ready again, and adopt it."""
        assert id_ in self.nowhere() or not self.forgets
        assert now[0] == READY
        assert now[1] > self.highest.get(id_, 0)
        self.highest[id_] = now[1]
        self.attempts[id_] = max(0, self.attempts[id_]) if id_ in self.uncharged else 0
        self.uncharged[id_] = now[1] - self.attempts[id_]
        self.crashed.pop(id_, None)
        self.pending[id_] = now


def forced(count: int) -> int:
    """The uncharged deliveries in a count: a forced claim raises it to the next thousand."""
    return count - count % 1000


def in_order(id_: str) -> tuple[int, ...]:
    return tuple(map(int, id_.split("-")))
