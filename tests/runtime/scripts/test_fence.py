"""The fence: only the owner of a delivery, by consumer and delivery count, can take its next step."""

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
def test_a_stale_worker_cannot_change_a_message_taken_over(steps: Steps, step: str) -> None:
    """The reply names the new owner; message, due time, counts and dead letters stay as they were."""
    [stale] = steps.begin("stale")
    steps.crash("stale")
    steps.register("new")
    claims = steps.claim("new")
    [current] = claims.deliveries

    assert STEPS[step](steps, stale) == Another("new", 2)

    assert steps.pending() == {stale.id: ("new", 2)}
    assert steps.entries() == [stale.id]
    assert (steps.parked(), steps.uncharged(), steps.crashed(), steps.dead()) == ({}, {}, {}, [])
    assert steps.ask("EXISTS", KEYS.result + stale.id) == 0
    assert STEPS[step](steps, current) == DONE


@pytest.mark.parametrize("step", STEPS)
def test_a_stale_worker_learns_that_its_message_is_suspect(steps: Steps, step: str) -> None:
    """After the take-over the message belongs to the suspects, not to the stale worker."""
    [stale] = steps.begin("stale")
    steps.crash("stale")
    assert STEPS[step](steps, stale) == Another(SUSPECT, 1)
    assert steps.pending() == {stale.id: (SUSPECT, 1)}


@pytest.mark.parametrize("step", STEPS)
def test_a_settled_message_is_gone_for_every_step(steps: Steps, step: str) -> None:
    """The step changes nothing and creates nothing."""
    [one] = steps.begin("worker")
    steps.settle([one])
    assert STEPS[step](steps, one) == GONE
    assert (steps.pending(), steps.parked(), steps.uncharged(), steps.dead()) == ({}, {}, {}, [])
    assert steps.ask("EXISTS", KEYS.result + one.id) == 0


@pytest.mark.parametrize("step", STEPS)
def test_the_same_consumer_is_not_enough(steps: Steps, step: str) -> None:
    """A worker that gets a message a second time cannot use its first delivery."""
    [first] = steps.begin("worker")
    steps.give_back([first])
    steps.claim("worker")
    before = steps.uncharged()
    assert STEPS[step](steps, first) == Another("worker", 2)
    assert steps.pending() == {first.id: ("worker", 2)}
    assert steps.uncharged() == before


def test_the_same_count_is_not_enough(steps: Steps) -> None:
    """The fence separates two consumers with equal counts."""
    [mine] = steps.begin("one")
    [other] = steps.begin("two")
    assert steps.settle([Delivery(other.id, "one", 1)]) == [Another("two", 1)]
    assert steps.settle([mine]) == [DONE]
    assert steps.pending() == {other.id: ("two", 1)}


def test_each_message_of_a_batch_has_its_own_reply_in_order(steps: Steps) -> None:
    """A fenced message does not block its neighbours."""
    batch = steps.begin("worker", 6)
    steps.settle(batch[1:2])
    steps.park(batch[3:4], wait=60_000)
    stale = Delivery(batch[4].id, "worker", 7)
    deliveries = [*batch[:4], stale, batch[5]]
    assert steps.settle(deliveries) == [DONE, GONE, DONE, Another("~parked", 1), Another("worker", 1), DONE]
    assert set(steps.pending()) == {batch[3].id, batch[4].id}


def test_an_empty_batch_changes_nothing(steps: Steps) -> None:
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
def test_thousands_are_settled_in_one_step(steps: Steps, most: int) -> None:
    """All are settled, although Lua passes a limited number of arguments."""
    batch = steps.begin("worker", most)
    assert steps.settle(batch) == [DONE] * most
    assert steps.pending() == {}
    assert steps.entries() == []


@pytest.mark.parametrize("held", [150, 1000])
def test_a_scattered_batch_settles_only_its_own_messages(steps: Steps, held: int) -> None:
    """Other messages of the same consumer between its ids stay pending."""
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
def test_text_bounds_are_only_a_hint(
    steps: Steps, ids: list[str], order: Callable[[Sequence[Delivery]], list[Delivery]]
) -> None:
    """As text, `5-10` is less than `5-9`: the script looks up one by one what the bounds miss."""
    steps.register("worker")
    for id_ in ids:
        steps.send_as(id_)
    batch = order(steps.read("worker"))
    assert steps.settle(batch) == [DONE] * len(ids)
    assert steps.entries() == []


@pytest.mark.parametrize("bounds", [("-", "-"), ("+", "-"), ("0-1", "0-2"), ("-", "+")], ids=str)
def test_wrong_bounds_do_not_change_the_result(steps: Steps, bounds: tuple[str, str]) -> None:
    """Bounds are a hint where to look, not a proof of ownership."""
    batch = steps.begin("worker", 3)
    stale = Delivery(batch[1].id, "worker", 5)
    deliveries = [batch[0], stale, batch[2]]
    assert steps.settle(deliveries, bounds=bounds) == [DONE, Another("worker", 1), DONE]


def test_a_message_twice_in_a_batch_counts_once(steps: Steps) -> None:
    """A give-back must not count twice."""
    batch = steps.begin("worker", 3)
    assert steps.give_back([batch[0], batch[0], batch[2], batch[1], batch[2]]) == [DONE] * 5
    assert steps.uncharged() == {one.id: 1 for one in batch}


def test_consumer_names_are_compared_byte_by_byte(steps: Steps) -> None:
    """Names may hold spaces, punctuation and letters of any language."""
    [one] = steps.begin("wörker *[a] %s")
    assert steps.settle([Delivery(one.id, "wörker *[a] %S", 1)]) == [Another("wörker *[a] %s", 1)]
    assert steps.settle([one]) == [DONE]
