"""Any steps in any order, with fences of any age, by workers dead and alive, and other hands in between.

After each step Redis holds what a plain model says it must: every message is in exactly one state, nothing is lost,
nothing is settled by another than its owner, counts only grow, and no fence is given twice.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import ClassVar

from expected import Expected, Lease
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from redis_state import KEYS
from steps import DONE, Claims, Delivery, Steps
from targets import Target

from penstock.keys import PARKED, READY, STATES, SUSPECT

LATER = 3_600_000
EXAMPLES, STEPS = 60, 40
SOME = st.integers(0, 4)
PAGE = st.integers(1, 3)
CHANCE = st.booleans()
HOW = st.sampled_from(["idle", "busy", "stuck", "alone"])


class Walk(RuleBasedStateMachine):
    """Redis beside the model."""

    target: ClassVar[Target]
    ended: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.target.flush()
        self.steps = Steps(self.target.link(KEYS.stream)).__enter__()
        self.steps.ensure()
        self.model = Expected(forgets=not version(self.steps).startswith("6."))
        self.lives: list[str] = []
        self.fences: list[Delivery] = []

    def teardown(self) -> None:
        try:
            if sys.exc_info()[0] is None:  # nothing is wrong so far
                self.all_comes_to_an_end()
                Walk.ended += 1
        finally:
            self.steps.__exit__(None, None, None)

    # -- what is chosen

    def life(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(self.lives), "life")

    def batch(self, data: st.DataObject) -> list[Delivery]:
        """Deliveries of one life: of any age, and some that never were."""
        consumer = self.life(data)
        known = [one for one in self.fences if one.consumer == consumer]
        known += [Delivery(one.id, consumer, one.count + 1) for one in known[:1]]
        known += [Delivery(one.id, consumer, one.count) for one in self.fences[-2:] if one.consumer != consumer]
        return (
            data.draw(st.lists(st.sampled_from(known), unique_by=lambda one: one.id, max_size=6), "batch")
            if known
            else []
        )

    # -- messages

    @rule(messages=st.integers(1, 4))
    def send(self, messages: int) -> None:
        self.model.send(self.steps.send(messages))

    @precondition(lambda self: self.lives and self.model.unread)
    @rule(data=st.data(), most=st.integers(1, 5))
    def read(self, data: st.DataObject, most: int) -> None:
        """Also by one whose life is over: the answer of a read may run late."""
        consumer = self.life(data)
        given = self.steps.read(consumer, most)
        assert given == self.model.read(consumer, most)
        self.fences += given

    @precondition(lambda self: self.lives)
    @rule(data=st.data(), suspects=SOME, ready=SOME, how=HOW)
    def claim(self, data: st.DataObject, suspects: int, ready: int, how: str) -> None:
        consumer = self.life(data)
        claims = self.steps.try_claim(consumer, suspects=suspects, ready=ready, how=how)
        expected = self.model.claim(consumer, suspects=suspects, ready=ready, how=how)
        assert (None if claims is None else without_fields(claims)) == expected
        if claims is not None:
            self.fences += claims.deliveries
            if claims.gone:  # whether that made a consumer hangs on the version
                self.model.consumers |= self.steps.consumers() & {consumer}

    @precondition(lambda self: self.fences)
    @rule(data=st.data())
    def settle(self, data: st.DataObject) -> None:
        if batch := self.batch(data):
            assert self.steps.settle(batch) == self.model.end(batch, self.model.done)

    @precondition(lambda self: self.fences)
    @rule(data=st.data())
    def settle_with(self, data: st.DataObject) -> None:
        for one in self.batch(data)[:1]:
            assert [self.steps.settle_with(one)] == self.model.end([one], self.model.done)

    @precondition(lambda self: self.fences)
    @rule(data=st.data())
    def bury(self, data: st.DataObject) -> None:
        for one in self.batch(data)[:1]:
            assert [self.steps.bury(one)] == self.model.end([one], self.model.dead)

    @precondition(lambda self: self.fences)
    @rule(data=st.data(), uncharged=st.integers(0, 1), crashed=CHANCE)
    def park(self, data: st.DataObject, uncharged: int, *, crashed: bool) -> None:
        if batch := self.batch(data):
            answers = self.steps.park(batch, wait=LATER, uncharged=uncharged, crashed=crashed)
            assert answers == self.model.park(batch, uncharged=uncharged, crashed=crashed)

    @precondition(lambda self: self.fences)
    @rule(data=st.data(), uncharged=st.integers(0, 1), to=st.sampled_from([READY, SUSPECT]))
    def give_back(self, data: st.DataObject, uncharged: int, to: str) -> None:
        if batch := self.batch(data):
            answers = self.steps.give_back(batch, uncharged=uncharged, to=to)
            assert answers == self.model.give_back(batch, uncharged=uncharged, to=to)

    @precondition(lambda self: self.model.parked)
    @rule(data=st.data())
    def promote(self, data: st.DataObject) -> None:
        """Some of what is parked is due."""
        due = data.draw(st.lists(st.sampled_from(sorted(self.model.parked)), unique=True), "due")
        for id_ in due:
            self.steps.ask("ZADD", KEYS.parked, "XX", 1, id_)
        self.steps.promote()
        self.model.promote(due)

    # -- lives

    @rule()
    def begin(self) -> None:
        consumer = f"worker~{len(self.lives):08}"
        assert self.steps.register(consumer) == self.model.register(consumer) == 1
        self.lives.append(consumer)

    @precondition(lambda self: bool({*self.model.alive, *self.model.consumers}))
    @rule(data=st.data())
    def begin_again(self, data: st.DataObject) -> None:
        """Under a name that something is left of."""
        known = sorted({*self.model.alive, *self.model.consumers})
        consumer = data.draw(st.sampled_from(known), "name")
        assert self.steps.register(consumer) == self.model.register(consumer) == 0

    @precondition(lambda self: self.lives)
    @rule(data=st.data())
    def renew(self, data: st.DataObject) -> None:
        consumer = self.life(data)
        assert self.steps.renew(consumer) == self.model.renew(consumer)

    @precondition(lambda self: self.lives)
    @rule(data=st.data())
    def deregister(self, data: st.DataObject) -> None:
        consumer = self.life(data)
        assert self.steps.deregister(consumer) == self.model.deregister(consumer)

    @precondition(lambda self: self.model.alive)
    @rule(data=st.data())
    def lose(self, data: st.DataObject) -> None:
        """A lease runs out; one that is marked stays so."""
        consumer = data.draw(st.sampled_from(sorted(self.model.alive)), "lease")
        self.model.lose(consumer)
        self.steps.ask("ZADD", KEYS.alive, 1 if self.model.alive[consumer] is Lease.EXPIRED else -1, consumer)

    @rule()
    def overdue(self) -> None:
        assert sorted(self.steps.overdue()) == self.model.overdue()

    @precondition(lambda self: self.lives)
    @rule(data=st.data(), page=PAGE)
    def take_over(self, data: st.DataObject, page: int) -> None:
        consumer = self.life(data)
        assert self.steps.take_over(consumer, page) == self.model.take_over(consumer, page)

    # -- other hands, and what mends

    @precondition(lambda self: self.model.stream)
    @rule(data=st.data())
    def somebody_deletes_an_entry(self, data: st.DataObject) -> None:
        id_ = data.draw(st.sampled_from(self.model.stream), "entry")
        self.steps.ask("XDEL", KEYS.stream, id_)
        self.model.delete_entry(id_)

    @precondition(lambda self: self.lives)
    @rule(data=st.data())
    def somebody_deletes_a_consumer(self, data: st.DataObject) -> None:
        consumer = data.draw(st.sampled_from([*STATES, *self.lives]), "consumer")
        self.steps.ask("XGROUP", "DELCONSUMER", KEYS.stream, KEYS.group, consumer)
        self.model.delete_consumer(consumer)

    @rule()
    def somebody_deletes_the_accounts(self) -> None:
        """Of what does not count; and what crashed is forgotten."""
        self.steps.ask("DEL", KEYS.uncharged, KEYS.crashed)
        self.model.uncharged.clear()
        self.model.crashed.clear()

    @rule()
    def somebody_deletes_the_group(self) -> None:
        self.steps.ask("XGROUP", "DESTROY", KEYS.stream, KEYS.group)
        assert self.steps.ensure() == "again"
        self.model.delete_group()

    @rule()
    def reconcile(self) -> None:
        self.steps.reconcile()
        self.model.reconciled(self.steps.pending())

    # -- what must hold

    @invariant()
    def redis_holds_what_it_must(self) -> None:
        left, model = self.steps.snapshot(), self.model
        left.uncharged.pop("~count", None)
        assert left.entries == model.stream
        assert left.pending == model.pending
        assert left.uncharged == model.uncharged
        assert left.crashed == model.crashed
        assert set(left.parked) == model.parked
        assert left.consumers - set(STATES) == model.consumers
        assert set(left.alive) == set(model.alive)
        assert [letter[-1].decode() for letter in left.dead] == model.dead

    def all_comes_to_an_end(self) -> None:
        """Whatever came before: with every lease over and all that waits due, one worker brings it all to its end."""
        self.reconcile()
        self.overdue()
        for consumer in list(self.model.alive):
            self.steps.ask("ZADD", KEYS.alive, -1, consumer)
            self.model.alive[consumer] = Lease.LOST
            while self.steps.take_over(consumer, 2) == self.model.take_over(consumer, 2) == "more":
                pass
        for id_ in self.model.owned(PARKED):
            self.steps.ask("ZADD", KEYS.parked, 1, id_)
        self.steps.promote()
        self.model.promote(self.model.owned(PARKED))
        self.begin()
        last = self.lives[-1]
        while self.model.pending or self.model.unread:
            before = len(self.model.pending) + len(self.model.unread)
            for how in ("idle", "alone"):
                claims = self.steps.claim(last, how=how)
                assert without_fields(claims) == self.model.claim(last, suspects=100, ready=100, how=how)
                self._settled(claims.deliveries)
            self._settled(self.steps.read(last), self.model.read(last, len(self.model.unread)))
            assert len(self.model.pending) + len(self.model.unread) < before
        self.redis_holds_what_it_must()
        assert self.model.stream == []

    def _settled(self, given: list[Delivery], expected: list[Delivery] | None = None) -> None:
        assert given == (expected or given)
        if given:
            assert self.steps.settle(given) == self.model.end(given, self.model.done) == [DONE] * len(given)


def without_fields(claims: Claims) -> Claims:
    return replace(claims, waiting=abs(claims.waiting), claimed=[replace(one, fields=[]) for one in claims.claimed])


def version(steps: Steps) -> str:
    told = str(steps.ask("INFO", "server").decode())
    return told.partition("redis_version:")[2].partition("\r\n")[0]


def test_whatever_happens_each_message_is_in_one_state(target: Target) -> None:
    """And at the end each is done or dead, once; but for those that somebody deleted."""
    Walk.target, Walk.ended = target, 0
    slowly = settings(max_examples=EXAMPLES, stateful_step_count=STEPS, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Walk, settings=slowly)
    assert Walk.ended >= EXAMPLES
