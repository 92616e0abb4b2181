"""A step whose answer was lost is repeated: the second changes nothing, and tells that the first was taken."""

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


def behind(steps: Steps) -> tuple[object, ...]:
    """All that a step may change."""
    return (
        *(steps.entries(), steps.pending(), steps.parked(), steps.uncharged(), steps.crashed(), steps.dead()),
        *(steps.alive(), steps.ask("KEYS", KEYS.result + "*")),
    )


@pytest.mark.parametrize("step", ENDS)
def test_what_ended_is_gone(steps: Steps, step: str) -> None:
    """Nobody else can have ended it: the fence was ours."""
    one, _ = steps.begin("worker", 2)
    assert ENDS[step](steps, one) == DONE
    left = behind(steps)
    assert ENDS[step](steps, one) == GONE
    assert behind(steps) == left


@pytest.mark.parametrize("case", WAITS)
def test_what_waits_is_found_where_the_step_brought_it(steps: Steps, case: str) -> None:
    """With the same count: it has been with nobody since. What does not count is counted once."""
    step, target = WAITS[case]
    one, _ = steps.begin("worker", 2)
    assert step(steps, one) == DONE
    left = behind(steps)
    assert step(steps, one) == Another(target, one.count)
    assert behind(steps) == left


def test_a_park_is_known_again_when_it_is_due(steps: Steps) -> None:
    """Ready by now, still with the same count; the due time is not set again."""
    batch = steps.begin("worker")
    steps.park(batch)
    steps.promote()
    assert steps.park(batch, wait=60_000) == [Another(READY, 1)]
    assert steps.parked() == {}


@pytest.mark.parametrize("case", WAITS)
def test_what_another_has_by_now_is_anothers(steps: Steps, case: str) -> None:
    """Waited, claimed, running: the repeat takes nothing from its new owner."""
    step, target = WAITS[case]
    [one] = steps.begin("worker")
    step(steps, one)
    if target == PARKED:
        steps.ask("ZADD", KEYS.parked, 1, one.id)
        steps.promote()
    steps.register("other")
    claims = steps.claim("other")
    left = behind(steps)
    assert step(steps, one) == Another("other", 2)
    assert behind(steps) == left
    assert steps.settle(claims.deliveries) == [DONE]


def test_a_batch_of_which_some_had_been_taken(steps: Steps) -> None:
    """Each repeat is judged by itself; what was not taken before is taken now."""
    batch = steps.begin("worker", 4)
    steps.give_back(batch[::2])
    assert steps.give_back(batch) == [Another(READY, 1), DONE, Another(READY, 1), DONE]
    assert steps.uncharged() == {one.id: 1 for one in batch}
