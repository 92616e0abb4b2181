"""give_back: what a living worker did not start is not charged (P4)."""

import pytest
from redis_state import KEYS
from steps import ATTEMPTS, DONE, GONE, Steps

from penstock.keys import READY, SUSPECT


def attempts(steps: Steps, id_: str) -> int:
    """Deliveries that count."""
    return steps.pending()[id_][1] - steps.uncharged().get(id_, 0)


def test_what_was_given_back_has_cost_no_attempt(steps: Steps) -> None:
    """However often drains cut it off, it is never nearer to its end; its count grows all the same."""
    [one] = steps.begin("worker")
    for deliveries in range(2, ATTEMPTS + 3):
        assert steps.give_back([one]) == [DONE]
        claims = steps.claim("worker")
        [claimed] = claims.claimed
        one = claimed.delivery
        assert (one.count, one.count - claimed.uncharged) == (deliveries, 1)


def test_more_deliveries_may_be_uncharged_at_once(steps: Steps) -> None:
    """Those that only renewed the fence of a handler which a drain then cut off."""
    [one] = steps.begin("worker")
    steps.give_back([one], uncharged=2)
    assert steps.uncharged() == {one.id: 3}


@pytest.mark.parametrize("state", [READY, SUSPECT])
def test_a_suspect_that_is_given_back_stays_one(steps: Steps, state: str) -> None:
    """It was not proven harmless."""
    [one] = steps.begin("worker")
    assert steps.give_back([one], to=state) == [DONE]
    assert steps.pending() == {one.id: (state, 1)}
    claims = steps.claim("worker")
    assert [claimed.owner for claimed in claims.claimed] == [state]


def test_a_give_back_that_is_repeated_counts_once(steps: Steps) -> None:
    """Its answer was lost: the second finds it where the first brought it."""
    [one] = steps.begin("worker")
    steps.give_back([one])
    steps.give_back([one])
    assert attempts(steps, one.id) == 0


def test_an_entry_that_somebody_deleted_is_told_once(steps: Steps) -> None:
    """Redis 7 forgets it when it is given back, Redis 6 when it is claimed; nothing is remembered of it."""
    batch = steps.begin("worker", 2)
    steps.ask("XDEL", KEYS.stream, batch[0].id)
    told = steps.give_back(batch)
    assert told in ([GONE, DONE], [DONE, DONE])
    claims = steps.claim("worker")
    assert claims.ids == [batch[1].id]
    assert told.count(GONE) + claims.gone == 1
    assert set(steps.uncharged()) == {batch[1].id}
