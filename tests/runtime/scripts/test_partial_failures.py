"""A step that fails halfway leaves the message pending, and a retry succeeds once the cause is gone."""

from collections.abc import Callable

import pytest
from redis_state import KEYS
from steps import DONE, Answer, Delivery, Steps

from penstock.keys import READY
from penstock.wire.errors import Refused

DEDUP = "{work}:dedup:job-1"

Step = Callable[[Steps, Delivery], Answer]


def settle(steps: Steps, one: Delivery) -> Answer:
    return steps.settle([one])[0]


def settle_with(steps: Steps, one: Delivery) -> Answer:
    return steps.settle_with(one)


def park(steps: Steps, one: Delivery) -> Answer:
    return steps.park([one], wait=60_000, uncharged=1, crashed=True)[0]


def give_back(steps: Steps, one: Delivery) -> Answer:
    return steps.give_back([one])[0]


def bury(steps: Steps, one: Delivery) -> Answer:
    return steps.bury(one, dedup=DEDUP, own="01ID")


SIDES: dict[Step, dict[str, str]] = {
    settle: {"uncharged": "{work}:team:uncharged", "crashed": "{work}:team:crashed"},
    settle_with: {"uncharged": "{work}:team:uncharged", "crashed": "{work}:team:crashed"},
    park: {
        "parked": "{work}:team:parked",
        "uncharged": "{work}:team:uncharged",
        "crashed": "{work}:team:crashed",
    },
    give_back: {"uncharged": "{work}:team:uncharged"},
    bury: {
        "dead letters": "{work}:team:dead",
        "uncharged": "{work}:team:uncharged",
        "crashed": "{work}:team:crashed",
        "finished": "{work}:team:finished",
        "deduplication": DEDUP,
    },
}
CASES = [(step, key) for step, sides in SIDES.items() for key in sides.values()]


@pytest.mark.parametrize(("step", "key"), CASES, ids=[f"{step.__name__} {key}" for step, key in CASES])
def test_a_side_key_of_the_wrong_type_blocks_the_step(steps: Steps, step: Step, key: str) -> None:
    """The step is refused without a change, however often; once the key is repaired, it succeeds once."""
    one, beside = steps.begin("worker", 2)
    steps.give_back([one])
    claims = steps.claim("worker")
    [one] = claims.deliveries
    kept = steps.ask("DUMP", key)
    steps.ask("DEL", key)
    steps.ask("LPUSH" if key != DEDUP else "SADD", key, "something else")
    for _ in range(3):
        with pytest.raises(Refused, match="WRONGTYPE"):
            step(steps, one)
    assert steps.pending() == {one.id: ("worker", 2), beside.id: ("worker", 1)}
    assert steps.entries() == [one.id, beside.id]

    steps.ask("DEL", key)
    if isinstance(kept, bytes):
        steps.ask("RESTORE", key, 0, kept)
    assert len(steps.dead()) == 0
    assert step(steps, one) == DONE
    assert len(steps.dead()) == (step is bury)
    assert steps.uncharged() == ({one.id: 2} if step in (park, give_back) else {})


def test_a_batch_is_refused_completely(steps: Steps) -> None:
    """No message is parked or counted."""
    batch = steps.begin("worker", 3)
    steps.ask("SET", KEYS.uncharged, "something else")
    with pytest.raises(Refused, match="WRONGTYPE"):
        steps.park(batch, uncharged=1)
    with pytest.raises(Refused, match="WRONGTYPE"):
        steps.give_back(batch)
    assert set(steps.pending().values()) == {("worker", 1)}
    assert steps.parked() == {}


@pytest.mark.parametrize(
    "key", ["{work}:team:uncharged", "{work}:team:crashed", "{work}:team:alive", "{work}:team:position"]
)
def test_a_claim_that_fails_claims_nothing(steps: Steps, key: str) -> None:
    """No message belongs to a worker that does not know it."""
    [one] = steps.begin("worker")
    steps.give_back([one])
    steps.ask("DEL", key)
    steps.ask("SET", key, "something else")
    with pytest.raises(Refused, match="WRONGTYPE"):
        steps.claim("worker")
    assert steps.pending() == {one.id: (READY, 1)}


def test_consumers_are_not_registered_or_deleted_halfway(steps: Steps) -> None:
    """If leases cannot be written, no consumer is created or deleted."""
    steps.register("worker")
    steps.ask("DEL", KEYS.alive)
    steps.ask("SET", KEYS.alive, "something else")
    for step in (steps.register, steps.renew, steps.deregister):
        with pytest.raises(Refused, match="WRONGTYPE"):
            step("other" if step == steps.register else "worker")
    assert steps.consumers() == {"worker"}


@pytest.mark.parametrize("step", SIDES, ids=lambda step: step.__name__)
def test_a_replica_refuses_every_step(own: Steps, step: Step) -> None:
    """After a failover it replies READONLY and changes nothing; the same step succeeds on the master."""
    [one] = own.begin("worker")
    own.ask("REPLICAOF", "127.0.0.1", 1)
    with pytest.raises(Refused, match="READONLY"):
        step(own, one)
    own.ask("REPLICAOF", "NO", "ONE")
    assert own.pending() == {one.id: ("worker", 1)}
    assert step(own, one) == DONE
