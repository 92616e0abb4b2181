"""The fence: only who owns a delivery, by consumer and delivery count, takes it a step further (P3)."""

import random
from collections.abc import Callable, Sequence

import pytest
from redis_state import KEYS
from steps import DONE, GONE, Another, Answer, Delivery, Steps

from penstock.keys import SUSPECT

STEPS: dict[str, Callable[[Steps, Delivery], Answer]] = {
    "settle": lambda steps, one: steps.settle([one])[0],
    "settle with a result": lambda steps, one: steps.settle_with(one),
    "park": lambda steps, one: steps.park([one])[0],
    "give back": lambda steps, one: steps.give_back([one])[0],
    "bury": lambda steps, one: steps.bury(one),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_sleeper_changes_nothing_of_what_was_taken_over(steps: Steps, step: str) -> None:
    """It is told whose the message is now; the message, its due time, its counts and the dead letters are untouched."""
    [slept] = steps.begin("sleeper")
    steps.crash("sleeper")
    steps.register("taker")
    claims = steps.claim("taker")
    [taken] = claims.deliveries

    assert STEPS[step](steps, slept) == Another("taker", 2)

    assert steps.pending() == {slept.id: ("taker", 2)}
    assert steps.entries() == [slept.id]
    assert (steps.parked(), steps.uncharged(), steps.crashed(), steps.dead()) == ({}, {}, {}, [])
    assert steps.ask("EXISTS", KEYS.result + slept.id) == 0
    assert STEPS[step](steps, taken) == DONE


@pytest.mark.parametrize("step", STEPS)
def test_a_sleeper_is_told_of_a_suspect(steps: Steps, step: str) -> None:
    """Between the take-over and the next claim the message is the state's, not the sleeper's."""
    [slept] = steps.begin("sleeper")
    steps.crash("sleeper")
    assert STEPS[step](steps, slept) == Another(SUSPECT, 1)
    assert steps.pending() == {slept.id: (SUSPECT, 1)}


@pytest.mark.parametrize("step", STEPS)
def test_what_is_pending_nowhere_is_gone(steps: Steps, step: str) -> None:
    """Settled before: nothing happens, and nothing is made anew."""
    [one] = steps.begin("worker")
    steps.settle([one])
    assert STEPS[step](steps, one) == GONE
    assert (steps.pending(), steps.parked(), steps.uncharged(), steps.dead()) == ({}, {}, {}, [])
    assert steps.ask("EXISTS", KEYS.result + one.id) == 0


@pytest.mark.parametrize("step", STEPS)
def test_the_same_consumer_is_not_enough(steps: Steps, step: str) -> None:
    """A worker that was given a message a second time cannot use the first delivery any more."""
    [first] = steps.begin("worker")
    steps.give_back([first])
    steps.claim("worker")
    before = steps.uncharged()
    assert STEPS[step](steps, first) == Another("worker", 2)
    assert steps.pending() == {first.id: ("worker", 2)}
    assert steps.uncharged() == before


def test_the_same_count_is_not_enough(steps: Steps) -> None:
    """Two consumers with equal counts are told apart."""
    [mine] = steps.begin("one")
    [other] = steps.begin("two")
    assert steps.settle([Delivery(other.id, "one", 1)]) == [Another("two", 1)]
    assert steps.settle([mine]) == [DONE]
    assert steps.pending() == {other.id: ("two", 1)}


def test_each_of_a_batch_is_answered_by_itself_and_in_order(steps: Steps) -> None:
    """One that is fenced holds up none of its neighbours."""
    batch = steps.begin("worker", 6)
    steps.settle(batch[1:2])
    steps.park(batch[3:4], wait=60_000)
    stale = Delivery(batch[4].id, "worker", 7)
    asked = [*batch[:4], stale, batch[5]]
    assert steps.settle(asked) == [DONE, GONE, DONE, Another("~parked", 1), Another("worker", 1), DONE]
    assert set(steps.pending()) == {batch[3].id, batch[4].id}


def test_an_empty_batch_is_nothing(steps: Steps) -> None:
    assert (
        steps.run(
            "settle",
            ["work", "{work}:team:uncharged", "{work}:team:crashed", "{work}:team:finished"],
            "team",
            "worker",
            1,
            "",
            "",
        )
        == []
    )


@pytest.mark.parametrize("most", [1000, 5000])
def test_thousands_in_one_step(steps: Steps, most: int) -> None:
    """Beyond what Lua hands over at once: all are settled, and nothing is left."""
    batch = steps.begin("worker", most)
    assert steps.settle(batch) == [DONE] * most
    assert steps.pending() == {}
    assert steps.entries() == []


@pytest.mark.parametrize("held", [150, 1000])
def test_a_batch_strewn_over_what_is_held(steps: Steps, held: int) -> None:
    """However much of the same consumer lies between its ids: these are settled, and no others."""
    everything = steps.begin("worker", held)
    chosen = random.Random(7).sample(everything, 100)  # noqa: S311 - no secret
    assert steps.settle(chosen) == [DONE] * 100
    assert set(steps.pending()) == {one.id for one in everything} - {one.id for one in chosen}


def in_order(batch: Sequence[Delivery]) -> list[Delivery]:
    return list(batch)


def backwards(batch: Sequence[Delivery]) -> list[Delivery]:
    return list(reversed(batch))


def shuffled(batch: Sequence[Delivery]) -> list[Delivery]:
    return random.Random(3).sample(batch, len(batch))  # noqa: S311 - no secret


@pytest.mark.parametrize("order", [in_order, backwards, shuffled])
@pytest.mark.parametrize(
    "ids",
    [
        ["5-8", "5-9", "5-10", "5-11", "5-99", "5-100"],
        ["1-1", "2-1", "10-1", "10-2", "9999999999999-0"],
        ["999-18446744073709551615", "1000-0", "1000-1"],
    ],
    ids=["of one millisecond", "of a foreign producer", "at the edges"],
)
def test_bounds_by_text_are_only_about_right(
    steps: Steps, ids: list[str], order: Callable[[Sequence[Delivery]], list[Delivery]]
) -> None:
    """As text, `5-10` stands below `5-9`: what the bounds miss is asked for one by one."""
    steps.register("worker")
    for id_ in ids:
        steps.send_as(id_)
    batch = order(steps.read("worker"))
    assert steps.settle(batch) == [DONE] * len(ids)
    assert steps.entries() == []


@pytest.mark.parametrize("bounds", [("-", "-"), ("+", "-"), ("0-1", "0-2"), ("-", "+")], ids=str)
def test_bounds_that_miss_everything(steps: Steps, bounds: tuple[str, str]) -> None:
    """They are a hint about where to look, never about what is owned."""
    batch = steps.begin("worker", 3)
    stale = Delivery(batch[1].id, "worker", 5)
    asked = [batch[0], stale, batch[2]]
    assert steps.settle(asked, bounds=bounds) == [DONE, Another("worker", 1), DONE]


def test_what_stands_in_a_batch_twice_is_taken_once(steps: Steps) -> None:
    """A give-back that counts must not count twice."""
    batch = steps.begin("worker", 3)
    assert steps.give_back([batch[0], batch[0], batch[2], batch[1], batch[2]]) == [DONE] * 5
    assert steps.uncharged() == {one.id: 1 for one in batch}


def test_a_name_is_compared_byte_by_byte(steps: Steps) -> None:
    """Spaces, signs and letters of any language in a consumer's name."""
    [one] = steps.begin("wörker *[a] %s")
    assert steps.settle([Delivery(one.id, "wörker *[a] %S", 1)]) == [Another("wörker *[a] %s", 1)]
    assert steps.settle([one]) == [DONE]
