"""Random sequences of steps, with old and new fences, living and lost workers, and manual deletions in between.

After each step, Redis equals a plain model: every message is in exactly one state, no message is lost, only its owner
settles it, counts only grow, and no fence is given twice.
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


class ScriptMachine(RuleBasedStateMachine):
    """Run each step on Redis and on the model."""

    target: ClassVar[Target]
    ended: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.target.flush()
        self.steps = Steps(self.target.link(KEYS.stream)).__enter__()
        self.steps.ensure()
        self.model = Expected(forgets=not version(self.steps).startswith("6."))
        self.consumers: list[str] = []
        self.fences: list[Delivery] = []

    def teardown(self) -> None:
        try:
            if sys.exc_info()[0] is None:  # no failure so far
                self.finish_every_message()
                ScriptMachine.ended += 1
        finally:
            self.steps.__exit__(None, None, None)

    # -- choices

    def consumer(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(self.consumers), "consumer")

    def batch(self, data: st.DataObject) -> list[Delivery]:
        """Return deliveries of one consumer: of any age, and some that never happened."""
        consumer = self.consumer(data)
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

    @precondition(lambda self: self.consumers and self.model.unread)
    @rule(data=st.data(), most=st.integers(1, 5))
    def read(self, data: st.DataObject, most: int) -> None:
        """The consumer may be lost already, because the reply of a read may arrive late."""
        consumer = self.consumer(data)
        given = self.steps.read(consumer, most)
        assert given == self.model.read(consumer, most)
        self.fences += given

    @precondition(lambda self: self.consumers)
    @rule(data=st.data(), suspects=SOME, ready=SOME, how=HOW)
    def claim(self, data: st.DataObject, suspects: int, ready: int, how: str) -> None:
        consumer = self.consumer(data)
        claims = self.steps.try_claim(consumer, suspects=suspects, ready=ready, how=how)
        expected = self.model.claim(consumer, suspects=suspects, ready=ready, how=how)
        assert (None if claims is None else without_fields(claims)) == expected
        if claims is not None:
            self.fences += claims.deliveries
            if claims.gone:  # whether this created a consumer depends on the version
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
        """Some parked messages are due."""
        due = data.draw(st.lists(st.sampled_from(sorted(self.model.parked)), unique=True), "due")
        for id_ in due:
            self.steps.ask("ZADD", KEYS.parked, "XX", 1, id_)
        self.steps.promote()
        self.model.promote(due, self.steps.pending())

    # -- consumers

    @rule()
    def register(self) -> None:
        consumer = f"worker~{len(self.consumers):08}"
        assert self.steps.register(consumer) == self.model.register(consumer) == 1
        self.consumers.append(consumer)

    @precondition(lambda self: bool({*self.model.alive, *self.model.consumers}))
    @rule(data=st.data())
    def register_again(self, data: st.DataObject) -> None:
        """The name has remains in Redis."""
        known = sorted({*self.model.alive, *self.model.consumers})
        consumer = data.draw(st.sampled_from(known), "name")
        assert self.steps.register(consumer) == self.model.register(consumer) == 0

    @precondition(lambda self: self.consumers)
    @rule(data=st.data())
    def renew(self, data: st.DataObject) -> None:
        consumer = self.consumer(data)
        assert self.steps.renew(consumer) == self.model.renew(consumer)

    @precondition(lambda self: self.consumers)
    @rule(data=st.data())
    def deregister(self, data: st.DataObject) -> None:
        consumer = self.consumer(data)
        assert self.steps.deregister(consumer) == self.model.deregister(consumer)

    @precondition(lambda self: self.model.alive)
    @rule(data=st.data())
    def lose(self, data: st.DataObject) -> None:
        """A lease expires; a marked lease stays marked."""
        consumer = data.draw(st.sampled_from(sorted(self.model.alive)), "lease")
        self.model.lose(consumer)
        self.steps.ask("ZADD", KEYS.alive, 1 if self.model.alive[consumer] is Lease.EXPIRED else -1, consumer)

    @rule()
    def overdue(self) -> None:
        assert sorted(self.steps.overdue()) == self.model.overdue()

    @precondition(lambda self: self.consumers)
    @rule(data=st.data(), page=PAGE)
    def take_over(self, data: st.DataObject, page: int) -> None:
        consumer = self.consumer(data)
        assert self.steps.take_over(consumer, page) == self.model.take_over(consumer, page)

    # -- manual deletions and repairs

    @precondition(lambda self: self.model.stream)
    @rule(data=st.data())
    def somebody_deletes_an_entry(self, data: st.DataObject) -> None:
        id_ = data.draw(st.sampled_from(self.model.stream), "entry")
        self.steps.ask("XDEL", KEYS.stream, id_)
        self.model.delete_entry(id_)

    @precondition(lambda self: self.consumers)
    @rule(data=st.data())
    def somebody_deletes_a_consumer(self, data: st.DataObject) -> None:
        consumer = data.draw(st.sampled_from([*STATES, *self.consumers]), "consumer")
        self.steps.ask("XGROUP", "DELCONSUMER", KEYS.stream, KEYS.group, consumer)
        self.model.delete_consumer(consumer)

    @rule()
    def somebody_deletes_the_uncharged_counts(self) -> None:
        """The crashes are deleted, too."""
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

    # -- invariants

    @invariant()
    def redis_equals_the_model(self) -> None:
        actual, model = self.steps.snapshot(), self.model
        actual.uncharged.pop("~count", None)
        assert actual.entries == model.stream
        assert actual.pending == model.pending
        assert actual.uncharged == model.uncharged
        assert actual.crashed == model.crashed
        assert set(actual.parked) == model.parked
        assert actual.consumers - set(STATES) == model.consumers
        assert set(actual.alive) == set(model.alive)
        assert [fields[-1].decode() for fields in actual.dead] == model.dead

    def finish_every_message(self) -> None:
        """Expire all leases and due times; one worker can then finish every message."""
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
        self.model.promote(self.model.owned(PARKED), self.steps.pending())
        self.register()
        last = self.consumers[-1]
        while self.model.pending or self.model.unread:
            before = len(self.model.pending) + len(self.model.unread)
            for how in ("idle", "alone"):
                claims = self.steps.claim(last, how=how)
                assert without_fields(claims) == self.model.claim(last, suspects=100, ready=100, how=how)
                self._settle_all(claims.deliveries)
            self._settle_all(self.steps.read(last), self.model.read(last, len(self.model.unread)))
            assert len(self.model.pending) + len(self.model.unread) < before
        self.redis_equals_the_model()
        assert self.model.stream == []

    def _settle_all(self, given: list[Delivery], expected: list[Delivery] | None = None) -> None:
        assert given == (expected or given)
        if given:
            assert self.steps.settle(given) == self.model.end(given, self.model.done) == [DONE] * len(given)


def without_fields(claims: Claims) -> Claims:
    return replace(claims, waiting=abs(claims.waiting), claimed=[replace(one, fields=[]) for one in claims.claimed])


def version(steps: Steps) -> str:
    info = str(steps.ask("INFO", "server").decode())
    return info.partition("redis_version:")[2].partition("\r\n")[0]


def test_random_steps_keep_each_message_in_one_state(target: Target) -> None:
    """At the end, each is done or dead exactly once, except for deleted ones."""
    ScriptMachine.target, ScriptMachine.ended = target, 0
    options = settings(max_examples=EXAMPLES, stateful_step_count=STEPS, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(ScriptMachine, settings=options)
    assert ScriptMachine.ended >= EXAMPLES
