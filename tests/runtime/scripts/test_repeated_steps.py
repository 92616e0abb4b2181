"""After a lost reply, a repeated step changes nothing and reports that the first call succeeded."""

from collections.abc import Callable

import pytest
from redis_state import KEYS
from steps import DONE, GONE, Another, Answer, Delivery, Steps

from penstock.keys import PARKED, READY, SUSPECT

Step = Callable[[Steps, Delivery], Answer]

ENDS: dict[str, Step] = {
    "settle": lambda steps, one: steps.settle([one])[0],
    "settle with a result": lambda steps, one: steps.settle_with(one),
    "bury": lambda steps, one: steps.bury(one),
}
WAITS: dict[str, tuple[Step, str]] = {
    "park": (lambda steps, one: steps.park([one], wait=60_000, uncharged=2)[0], PARKED),
    "give back": (lambda steps, one: steps.give_back([one])[0], READY),
    "give back a suspect": (lambda steps, one: steps.give_back([one], to=SUSPECT)[0], SUSPECT),
}


def stored_state(steps: Steps) -> tuple[object, ...]:
    """Return everything that a step may change."""
    return (
        *(steps.entries(), steps.pending(), steps.parked(), steps.uncharged(), steps.crashed(), steps.dead()),
        *(steps.alive(), steps.ask("KEYS", KEYS.result + "*")),
    )


@pytest.mark.parametrize("step", ENDS)
def test_a_repeat_of_a_final_step_replies_gone(steps: Steps, step: str) -> None:
    """No other worker can have finished the message, because the fence was ours."""
    one, _ = steps.begin("worker", 2)
    assert ENDS[step](steps, one) == DONE
    before = stored_state(steps)
    assert ENDS[step](steps, one) == GONE
    assert stored_state(steps) == before


@pytest.mark.parametrize("case", WAITS)
def test_a_repeat_finds_a_waiting_message_in_its_new_state(steps: Steps, case: str) -> None:
    """The count is the same, so it had no other owner; uncharged deliveries are counted once."""
    step, target = WAITS[case]
    one, _ = steps.begin("worker", 2)
    assert step(steps, one) == DONE
    before = stored_state(steps)
    assert step(steps, one) == Another(target, one.count)
    assert stored_state(steps) == before


def test_a_repeated_park_of_a_promoted_message_sets_no_due_time(steps: Steps) -> None:
    """The message is ready, still with the same count."""
    batch = steps.begin("worker")
    steps.park(batch)
    steps.promote()
    assert steps.park(batch, wait=60_000) == [Another(READY, 1)]
    assert steps.parked() == {}


@pytest.mark.parametrize("case", WAITS)
def test_a_repeat_takes_nothing_from_a_new_owner(steps: Steps, case: str) -> None:
    """The message waited, was claimed, and runs elsewhere."""
    step, target = WAITS[case]
    [one] = steps.begin("worker")
    step(steps, one)
    if target == PARKED:
        steps.ask("ZADD", KEYS.parked, 1, one.id)
        steps.promote()
    steps.register("other")
    claims = steps.claim("other")
    before = stored_state(steps)
    assert step(steps, one) == Another("other", 2)
    assert stored_state(steps) == before
    assert steps.settle(claims.deliveries) == [DONE]


def test_each_message_of_a_repeated_batch_is_checked_on_its_own(steps: Steps) -> None:
    """Only messages that the first call did not change are changed now."""
    batch = steps.begin("worker", 4)
    steps.give_back(batch[::2])
    assert steps.give_back(batch) == [Another(READY, 1), DONE, Another(READY, 1), DONE]
    assert steps.uncharged() == {one.id: 1 for one in batch}
