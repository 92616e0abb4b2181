"""park and promote: a parked message keeps its delivery count, and the next claim raises it."""

from redis_state import KEYS
from steps import DONE, GONE, Steps

from penstock.keys import PARKED, READY, SUSPECT


def test_a_parked_message_keeps_its_count(steps: Steps) -> None:
    """It belongs to the parked consumer until it is due."""
    [one] = steps.begin("worker")
    assert steps.park([one], wait=60_000) == [DONE]
    assert steps.pending() == {one.id: (PARKED, 1)}
    assert steps.promote().promoted == 0
    assert steps.pending() == {one.id: (PARKED, 1)}


def test_due_times_are_redis_time(steps: Steps) -> None:
    """The wait starts when Redis parks the message."""
    batch = steps.begin("worker", 2)
    before = milliseconds(steps)
    steps.park(batch, wait=60_000)
    after = milliseconds(steps)
    assert set(steps.parked()) == {one.id for one in batch}
    assert all(before + 60_000 <= due <= after + 60_000 for due in steps.parked().values())


def milliseconds(steps: Steps) -> int:
    reply = steps.ask("TIME")
    assert isinstance(reply, list)
    seconds, micros = (int(one) for one in reply if isinstance(one, bytes))
    return seconds * 1000 + micros // 1000


def test_a_claim_after_park_raises_the_count(steps: Steps) -> None:
    """Promotion keeps the count, so no fence of an earlier delivery is valid for the next one."""
    [one] = steps.begin("worker")
    steps.park([one])
    assert steps.promote().promoted == 1
    assert steps.pending() == {one.id: (READY, 1)}
    claims = steps.claim("worker")
    [claimed] = claims.claimed
    assert (claimed.delivery.count, claimed.uncharged, claimed.owner) == (2, 0, READY)
    assert steps.pending() == {one.id: ("worker", 2)}
    assert steps.parked() == {}


def test_deliveries_that_only_renew_a_fence_are_not_charged(steps: Steps) -> None:
    """Their number is added to the uncharged deliveries."""
    first, second = steps.begin("worker", 2)
    steps.give_back([first])
    claims = steps.claim("worker")
    assert steps.park([*claims.deliveries, second], uncharged=2) == [DONE, DONE]
    assert steps.uncharged() == {first.id: 3, second.id: 2}


def test_a_message_that_crashed_its_process_becomes_suspect_again(steps: Steps) -> None:
    """When due, it runs isolated; if it is parked later without a crash, it becomes ready."""
    crashed, failed = steps.begin("worker", 2)
    steps.park([crashed], crashed=True)
    steps.park([failed])
    assert steps.crashed() == {crashed.id: "crash"}
    steps.promote()
    assert steps.pending() == {crashed.id: (SUSPECT, 1), failed.id: (READY, 1)}
    claims = steps.claim("worker")
    assert {one.delivery.id: one.owner for one in claims.claimed} == {crashed.id: SUSPECT, failed.id: READY}
    steps.park(claims.deliveries)
    assert steps.crashed() == {}
    steps.promote()
    assert set(steps.pending().values()) == {(READY, 2)}


def test_a_message_that_may_only_be_buried_waits_for_no_empty_worker(steps: Steps) -> None:
    """It killed its process in its last attempt, and its dead letter was refused: no worker runs it again."""
    [one] = steps.begin("worker")
    assert steps.park([one], crashed=-1) == [DONE]
    for uncharged in range(3):
        steps.promote()
        assert steps.pending()[one.id][0] == SUSPECT
        [claimed] = steps.claim("worker", attempts=1).claimed
        assert (claimed.lost_alone, claimed.uncharged) == (True, uncharged)
        steps.park([claimed.delivery], uncharged=1, crashed=-1)


def test_thousands_are_parked_in_one_step(steps: Steps) -> None:
    """Each has its own due time."""
    batch = steps.begin("worker", 2500)
    assert steps.park(batch[:2200], wait=60_000, crashed=True) == [DONE] * 2200
    assert set(steps.parked()) == set(steps.crashed()) == {one.id for one in batch[:2200]}
    owners = [owner for owner, _ in steps.pending().values()]
    assert (owners.count(PARKED), owners.count("worker")) == (2200, 300)


def test_a_deleted_entry_is_reported_once(steps: Steps) -> None:
    """Redis 7 drops and counts it when it is parked, Redis 6 when it is claimed; the side keys forget it."""
    batch = steps.begin("worker", 4)
    for one in batch[1:3]:
        steps.ask("XDEL", KEYS.stream, one.id)
    replies = steps.park(batch[:2], uncharged=1, crashed=True) + steps.park(batch[2:], wait=-1)
    lost = replies.count(GONE)
    assert replies in ([DONE, GONE, GONE, DONE], [DONE] * 4)
    assert set(steps.parked()) == {one.id for one, answer in zip(batch, replies, strict=True) if answer == DONE}

    steps.promote()
    claims = steps.claim("worker")
    assert set(claims.ids) == {batch[0].id, batch[3].id}
    assert lost + claims.gone == 2
    assert steps.settle(claims.deliveries) == [DONE, DONE]
    assert (steps.pending(), steps.parked(), steps.uncharged(), steps.crashed()) == ({}, {}, {}, {})
