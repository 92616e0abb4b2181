"""give_back: deliveries that a living worker did not start are not charged."""

import pytest
from redis_state import KEYS
from steps import ATTEMPTS, DONE, GONE, Steps

from penstock.keys import READY, SUSPECT


def attempts(steps: Steps, id_: str) -> int:
    """Return the deliveries that count."""
    return steps.pending()[id_][1] - steps.uncharged().get(id_, 0)


def test_a_given_back_message_is_charged_no_attempt(steps: Steps) -> None:
    """Its delivery count grows, but however often a drain returns it, its attempts do not."""
    [one] = steps.begin("worker")
    for deliveries in range(2, ATTEMPTS + 3):
        assert steps.give_back([one]) == [DONE]
        claims = steps.claim("worker")
        [claimed] = claims.claimed
        one = claimed.delivery
        assert (one.count, one.count - claimed.uncharged) == (deliveries, 1)


def test_several_deliveries_can_be_uncharged_at_once(steps: Steps) -> None:
    """A drain ended a handler whose fence had been renewed by further deliveries."""
    [one] = steps.begin("worker")
    steps.give_back([one], uncharged=2)
    assert steps.uncharged() == {one.id: 3}


@pytest.mark.parametrize("state", [READY, SUSPECT])
def test_a_given_back_suspect_stays_suspect(steps: Steps, state: str) -> None:
    """It has not been proven harmless."""
    [one] = steps.begin("worker")
    assert steps.give_back([one], to=state) == [DONE]
    assert steps.pending() == {one.id: (state, 1)}
    claims = steps.claim("worker")
    assert [claimed.owner for claimed in claims.claimed] == [state]


def test_a_repeated_give_back_counts_once(steps: Steps) -> None:
    """After a lost reply, the repeat finds the message where the first call put it."""
    [one] = steps.begin("worker")
    steps.give_back([one])
    steps.give_back([one])
    assert attempts(steps, one.id) == 0


def test_a_deleted_entry_is_reported_once(steps: Steps) -> None:
    """Redis 7 drops it at the give-back, Redis 6 at the claim; the side keys forget it."""
    batch = steps.begin("worker", 2)
    steps.ask("XDEL", KEYS.stream, batch[0].id)
    replies = steps.give_back(batch)
    assert replies in ([GONE, DONE], [DONE, DONE])
    claims = steps.claim("worker")
    assert claims.ids == [batch[1].id]
    assert replies.count(GONE) + claims.gone == 1
    assert set(steps.uncharged()) == {batch[1].id}
