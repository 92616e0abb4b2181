"""claim: ready entries and suspects become running, each with one more delivery."""

import pytest
from redis_state import KEYS
from steps import ATTEMPTS, DONE, Delivery, Steps

from penstock.keys import READY, SUSPECT
from penstock.wire.errors import Refused


def lost(steps: Steps, consumer: str, messages: int = 1, *, times: int = 1) -> list[Delivery]:
    """Messages whose workers were lost, so often in a row: suspects. With all their attempts, at their last loss."""
    deliveries = steps.begin(f"{consumer}1", messages)
    steps.crash(f"{consumer}1")
    for n in range(2, times + 1):
        steps.register(f"{consumer}{n}")
        claims = steps.claim(f"{consumer}{n}", suspects=messages, ready=0)
        assert len(claims.claimed) == messages
        deliveries = claims.deliveries
        steps.crash(f"{consumer}{n}")
    return deliveries


def test_fields_travel_as_they_are(steps: Steps) -> None:
    """Names and values byte for byte, in order, also names that come twice."""
    fields = [b"\x00\xff", b"\r\n", b"data", b"", b"data", b"{}"]
    steps.send_as("*", *fields)
    steps.register("worker")
    steps.give_back(steps.read("worker"))
    claims = steps.claim("worker")
    assert [one.fields for one in claims.claimed] == [fields]


def test_each_kind_has_a_bound_of_its_own(steps: Steps) -> None:
    """No more than was asked for, the oldest first; suspects before ready entries."""
    suspects = lost(steps, "gone", 5)
    ready = steps.begin("worker", 5)
    steps.give_back(ready)
    claims = steps.claim("worker", suspects=2, ready=3)
    assert claims.ids == [one.id for one in (*suspects[:2], *ready[:3])]
    nothing = steps.claim("worker", suspects=0, ready=0)
    assert nothing.claimed == []
    owners = [owner for owner, _ in steps.pending().values()]
    assert (owners.count(SUSPECT), owners.count(READY), owners.count("worker")) == (3, 2, 5)


def test_thousands_are_claimed_in_one_step(steps: Steps) -> None:
    """Page by page: no more is handed over at once than Lua can."""
    batch = steps.begin("worker", 9000)
    steps.give_back(batch)
    claims = steps.claim("worker", ready=8500)
    assert claims.ids == [one.id for one in batch[:8500]]
    assert {one.uncharged for one in claims.claimed} == {1}


def test_a_ready_message_waits_for_nobody(steps: Steps) -> None:
    """Somebody gave messages fewer attempts meanwhile: it failed, it took nobody down, so any worker may have it."""
    steps.park(steps.begin("worker"))
    steps.promote()
    claims = steps.claim("worker", attempts=1)
    assert (len(claims.claimed), claims.waiting) == (1, 0)


@pytest.mark.parametrize("lease", ["missing", "marked as lost"])
def test_who_has_no_lease_claims_nothing(steps: Steps, lease: str) -> None:
    """What such a worker holds is being taken over, or will be."""
    [one] = steps.begin("worker")
    steps.give_back([one])
    if lease == "missing":
        steps.ask("DEL", KEYS.alive)
    else:
        steps.ask("ZADD", KEYS.alive, -1, "worker")
    assert steps.try_claim("worker") is None
    assert steps.pending() == {one.id: (READY, 1)}


def test_a_group_that_is_gone_is_told_by_its_name(steps: Steps) -> None:
    """NOGROUP is a lost lease: the worker takes a new incarnation."""
    steps.register("worker")
    steps.ask("XGROUP", "DESTROY", KEYS.stream, KEYS.group)
    with pytest.raises(Refused, match="NOGROUP"):
        steps.claim("worker")


def test_crashes_count_as_attempts(steps: Steps) -> None:
    """P4: each delivery to a worker that was lost is one."""
    [one] = lost(steps, "gone", times=2)
    steps.register("worker")
    claims = steps.claim("worker")
    [claimed] = claims.claimed
    assert (claimed.delivery.count - claimed.uncharged, claimed.owner) == (ATTEMPTS, SUSPECT)
    assert claimed.delivery.id == one.id


def test_a_suspect_at_its_last_loss_waits_for_an_empty_worker(steps: Steps) -> None:
    """Company in a crash never buries: it gets one more attempt, and that one alone."""
    [last] = lost(steps, "gone", times=ATTEMPTS)
    [ordinary] = lost(steps, "other")
    steps.register("worker")
    claims = steps.claim("worker")
    assert (claims.ids, claims.waiting) == ([ordinary.id], 1)

    alone = steps.claim("worker", how="alone")
    assert alone.ids == [last.id]
    assert alone.deliveries[0].count == ATTEMPTS + 1


def test_an_empty_worker_claims_one_such_suspect_and_nothing_else(steps: Steps) -> None:
    """Whatever else there is, and whatever it asked for."""
    ready = steps.begin("worker")
    steps.give_back(ready)
    last = lost(steps, "gone", 3, times=ATTEMPTS)
    lost(steps, "other")
    alone = steps.claim("worker", how="alone")
    assert alone.ids == [last[0].id]


def test_an_empty_worker_finds_nothing_among_ordinary_suspects(steps: Steps) -> None:
    """Those run beside each other."""
    lost(steps, "gone", 3)
    steps.register("worker")
    alone = steps.claim("worker", how="alone")
    assert (alone.claimed, alone.waiting) == ([], 0)


def test_lost_once_more_it_is_nobodys_to_wait_for(steps: Steps) -> None:
    """Beyond its last loss any worker may claim it, to bury it."""
    [one] = lost(steps, "gone", times=ATTEMPTS)
    steps.register("empty")
    steps.claim("empty", how="alone")
    steps.crash("empty")
    steps.register("worker")
    claims = steps.claim("worker")
    assert claims.deliveries == [Delivery(one.id, "worker", ATTEMPTS + 2)]


def test_who_has_fewer_attempts_by_now_still_runs_alone(steps: Steps) -> None:
    """P4: somebody lowered `retries.attempts`, and what was lost more often than that was never lost alone."""
    [one] = lost(steps, "gone", times=ATTEMPTS)
    steps.register("worker")
    claims = steps.claim("worker", attempts=1)
    assert (claims.claimed, claims.waiting) == ([], 1)
    alone = steps.claim("worker", attempts=1, how="alone")
    assert [(claimed.delivery.id, claimed.lost_alone) for claimed in alone.claimed] == [(one.id, False)]
    steps.crash("worker")
    steps.register("other")
    claims = steps.claim("other", attempts=1)
    assert [(claimed.delivery.id, claimed.lost_alone) for claimed in claims.claimed] == [(one.id, True)]


def test_what_was_lost_alone_stays_so(steps: Steps) -> None:
    """Whoever was to bury it was lost too, or gave it back as it never heard of it."""
    lost(steps, "gone", times=ATTEMPTS)
    steps.register("empty")
    steps.claim("empty", how="alone")
    steps.crash("empty")
    steps.register("first")
    claims = steps.claim("first")
    steps.give_back(claims.deliveries, to=SUSPECT)
    assert [claimed.lost_alone for claimed in steps.claim("first").claimed] == [True]
    steps.crash("first")
    steps.register("second")
    assert steps.claim("second", how="alone").claimed == []
    assert [claimed.lost_alone for claimed in steps.claim("second").claimed] == [True]


def test_who_was_given_more_attempts_is_lost_alone_no_more(steps: Steps) -> None:
    """It runs among other suspects again; when its attempts are over once more, it makes one alone once more."""
    lost(steps, "gone", times=ATTEMPTS)
    steps.register("empty")
    steps.claim("empty", how="alone")
    steps.crash("empty")
    steps.register("worker")
    claims = steps.claim("worker", attempts=ATTEMPTS + 2)
    assert [claimed.lost_alone for claimed in claims.claimed] == [False]
    steps.crash("worker")
    steps.register("other")
    claims = steps.claim("other", attempts=ATTEMPTS)
    assert (claims.claimed, claims.waiting) == ([], 1)


def test_one_busy_worker_empties_itself(steps: Steps) -> None:
    """The others go on; and so does that one when it has had its suspect."""
    last = lost(steps, "gone", 2, times=ATTEMPTS)
    steps.register("first")
    steps.register("second")
    assert steps.claim("first", how="busy").waiting == 2
    assert steps.claim("second", how="busy").waiting == -2
    assert steps.claim("first", how="busy").waiting == 2
    assert steps.claim("first", how="alone").ids == [last[0].id]
    assert steps.claim("second", how="busy").waiting == 1
    assert steps.claim("first", how="busy").waiting == -1


def test_an_idle_worker_need_not_wait_for_a_busy_one(steps: Steps) -> None:
    """It is empty; but not when it is given something in the same step."""
    [last] = lost(steps, "gone", times=ATTEMPTS)
    steps.register("busy")
    steps.register("idle")
    assert steps.claim("busy", how="busy").waiting == 1
    [ready] = steps.begin("worker")
    steps.give_back([ready])
    claims = steps.claim("idle")
    assert (claims.ids, claims.waiting) == ([ready.id], -1)
    steps.settle(claims.deliveries)
    assert steps.claim("idle").waiting == 1
    assert steps.claim("idle", how="alone").ids == [last.id]


@pytest.mark.parametrize("what", ["its lease is over", "its lease is marked as lost", "it is gone", "its time is over"])
def test_who_does_not_become_empty_holds_nobody_up(steps: Steps, what: str) -> None:
    """A suspect never waits for one worker."""
    lost(steps, "gone", times=ATTEMPTS)
    steps.register("first")
    steps.register("second")
    assert steps.claim("first", how="busy").waiting == 1
    match what:
        case "its lease is over":
            steps.lose("first")
        case "its lease is marked as lost":
            steps.ask("ZADD", KEYS.alive, -1, "first")
        case "it is gone":
            steps.deregister("first")
        case _:
            steps.ask("HSET", KEYS.position, "emptying", "1 first")
    assert steps.claim("second", how="busy").waiting == 1


def test_who_may_never_become_empty_leaves_it_to_others(steps: Steps) -> None:
    """It never begins to wait for that, and gives its turn away where it had begun."""
    lost(steps, "gone", times=ATTEMPTS)
    steps.register("first")
    steps.register("second")
    assert steps.claim("first", how="stuck").waiting == -1
    assert steps.claim("first", how="busy").waiting == 1
    assert steps.claim("second", how="stuck").waiting == -1
    assert steps.claim("second", how="busy").waiting == -1, "nobody gives away what is another's"
    assert steps.claim("first", how="stuck").waiting == -1
    assert steps.claim("second", how="busy").waiting == 1


def test_a_drain_never_brings_a_suspect_nearer_to_its_end(steps: Steps) -> None:
    """Given back by the worker that had emptied itself, it is at its last loss as before."""
    lost(steps, "gone", times=ATTEMPTS)
    steps.register("worker")
    alone = steps.claim("worker", how="alone")
    steps.give_back(alone.deliveries, to=SUSPECT)
    claims = steps.claim("worker")
    assert (claims.claimed, claims.waiting) == ([], 1)
    again = steps.claim("worker", how="alone")
    assert again.ids == alone.ids


def test_those_at_their_last_loss_hide_no_others(steps: Steps) -> None:
    """Fifty stand in front, and the ordinary suspects behind them are claimed at once, by whoever asks for one."""
    lost(steps, "gone", 50, times=ATTEMPTS)
    ordinary = lost(steps, "other", 3)
    steps.register("worker")
    for one in ordinary:
        claims = steps.claim("worker", suspects=1)
        assert claims.ids == [one.id]
    nothing = steps.claim("worker", suspects=1)
    assert (nothing.claimed, nothing.waiting) == ([], 50)


def test_ordinary_suspects_hide_none_at_its_last_loss(steps: Steps) -> None:
    """The same, for the worker that has emptied itself."""
    *ordinary, last = steps.begin("gone", 51)
    steps.give_back(ordinary, to=SUSPECT)
    steps.crash("gone")
    steps.register("worker")
    alone = steps.claim("worker", attempts=1, how="alone")
    assert alone.ids == [last.id]


def test_entries_that_somebody_deleted_are_dropped_and_counted(steps: Steps) -> None:
    """Redis 7 forgets them when they are claimed, Redis 6 answers with nothing: either way they are gone, and told."""
    ready = steps.begin("worker", 4)
    steps.give_back(ready)
    suspects = lost(steps, "gone", 2)
    for one in (ready[0], ready[2], suspects[0]):
        steps.ask("XDEL", KEYS.stream, one.id)
    steps.ask("HSET", KEYS.crashed, ready[0].id, "crash", ready[1].id, "crash")

    claims = steps.claim("worker")
    assert claims.gone == 3
    assert claims.ids == [suspects[1].id, ready[1].id, ready[3].id]
    assert set(steps.pending()) == set(claims.ids)
    assert set(steps.uncharged()) == {ready[1].id, ready[3].id}
    assert steps.crashed() == {ready[1].id: "crash"}
    assert steps.settle(claims.deliveries) == [DONE] * 3


def test_what_is_gone_takes_nobodys_place(steps: Steps) -> None:
    """A page full of deleted entries does not end the search."""
    ready = steps.begin("worker", 60)
    steps.give_back(ready)
    steps.ask("XDEL", KEYS.stream, *(one.id for one in ready[:50]))
    claims = steps.claim("worker", ready=4)
    assert (claims.gone, claims.ids) == (50, [one.id for one in ready[50:54]])
