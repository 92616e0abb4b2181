"""claim: ready messages and suspects become running, each with one more delivery."""

import pytest
from redis_state import KEYS
from steps import ATTEMPTS, DONE, Delivery, Steps

from penstock.keys import READY, SUSPECT
from penstock.wire.errors import Refused


def lost(steps: Steps, consumer: str, messages: int = 1, *, times: int = 1) -> list[Delivery]:
    """Return suspects whose workers were lost `times` times in a row. With ATTEMPTS losses they are at the limit."""
    deliveries = steps.begin(f"{consumer}1", messages)
    steps.crash(f"{consumer}1")
    for n in range(2, times + 1):
        steps.register(f"{consumer}{n}")
        claims = steps.claim(f"{consumer}{n}", suspects=messages, ready=0)
        assert len(claims.claimed) == messages
        deliveries = claims.deliveries
        steps.crash(f"{consumer}{n}")
    return deliveries


def test_claimed_fields_are_unchanged(steps: Steps) -> None:
    """Names and values stay byte for byte and in order, even names that occur twice."""
    fields = [b"\x00\xff", b"\r\n", b"data", b"", b"data", b"{}"]
    steps.send_as("*", *fields)
    steps.register("worker")
    steps.give_back(steps.read("worker"))
    claims = steps.claim("worker")
    assert [one.fields for one in claims.claimed] == [fields]


def test_suspects_and_ready_messages_have_separate_limits(steps: Steps) -> None:
    """A claim returns at most the requested number, oldest first, suspects before ready messages."""
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
    """The script works page by page, because Lua passes a limited number of arguments."""
    batch = steps.begin("worker", 9000)
    steps.give_back(batch)
    claims = steps.claim("worker", ready=8500)
    assert claims.ids == [one.id for one in batch[:8500]]
    assert {one.uncharged for one in claims.claimed} == {1}


def test_a_ready_message_never_waits_for_an_empty_worker(steps: Steps) -> None:
    """With fewer attempts in the spec, any worker may still claim it: it failed, but crashed no worker."""
    steps.park(steps.begin("worker"))
    steps.promote()
    claims = steps.claim("worker", attempts=1)
    assert (len(claims.claimed), claims.waiting) == (1, 0)


@pytest.mark.parametrize("lease", ["missing", "marked as lost"])
def test_a_worker_without_a_lease_claims_nothing(steps: Steps, lease: str) -> None:
    """Its messages are being taken over, or will be."""
    [one] = steps.begin("worker")
    steps.give_back([one])
    if lease == "missing":
        steps.ask("DEL", KEYS.alive)
    else:
        steps.ask("ZADD", KEYS.alive, -1, "worker")
    assert steps.try_claim("worker") is None
    assert steps.pending() == {one.id: (READY, 1)}


def test_a_missing_group_raises_nogroup(steps: Steps) -> None:
    """The worker treats NOGROUP as a lost lease and registers under a new name."""
    steps.register("worker")
    steps.ask("XGROUP", "DESTROY", KEYS.stream, KEYS.group)
    with pytest.raises(Refused, match="NOGROUP"):
        steps.claim("worker")


def test_crashes_count_as_attempts(steps: Steps) -> None:
    """Each delivery to a worker that was lost counts."""
    [one] = lost(steps, "gone", times=2)
    steps.register("worker")
    claims = steps.claim("worker")
    [claimed] = claims.claimed
    assert (claimed.delivery.count - claimed.uncharged, claimed.owner) == (ATTEMPTS, SUSPECT)
    assert claimed.delivery.id == one.id


def test_a_suspect_at_the_limit_waits_for_an_empty_worker(steps: Steps) -> None:
    """A crash next to other messages never buries it: it gets one more attempt, alone."""
    [at_limit] = lost(steps, "gone", times=ATTEMPTS)
    [ordinary] = lost(steps, "other")
    steps.register("worker")
    claims = steps.claim("worker")
    assert (claims.ids, claims.waiting) == ([ordinary.id], 1)

    alone = steps.claim("worker", how="alone")
    assert alone.ids == [at_limit.id]
    assert alone.deliveries[0].count == ATTEMPTS + 1


def test_an_empty_worker_claims_exactly_one_suspect_at_the_limit(steps: Steps) -> None:
    """It ignores other messages and the requested numbers."""
    ready = steps.begin("worker")
    steps.give_back(ready)
    at_limit = lost(steps, "gone", 3, times=ATTEMPTS)
    lost(steps, "other")
    alone = steps.claim("worker", how="alone")
    assert alone.ids == [at_limit[0].id]


def test_ordinary_suspects_need_no_empty_worker(steps: Steps) -> None:
    """They run next to each other."""
    lost(steps, "gone", 3)
    steps.register("worker")
    alone = steps.claim("worker", how="alone")
    assert (alone.claimed, alone.waiting) == ([], 0)


def test_a_suspect_beyond_the_limit_waits_for_no_empty_worker(steps: Steps) -> None:
    """Any worker may claim it, to bury it."""
    [one] = lost(steps, "gone", times=ATTEMPTS)
    steps.register("empty")
    steps.claim("empty", how="alone")
    steps.crash("empty")
    steps.register("worker")
    claims = steps.claim("worker")
    assert claims.deliveries == [Delivery(one.id, "worker", ATTEMPTS + 2)]


def test_lowered_attempts_still_allow_an_attempt_alone(steps: Steps) -> None:
    """`retries.attempts` was lowered; the message was lost more often than that, but never alone."""
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


def test_a_message_stays_marked_as_lost_alone(steps: Steps) -> None:
    """The worker that should bury it was lost too, or gave it back."""
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


def test_raised_attempts_clear_lost_alone(steps: Steps) -> None:
    """It runs among other suspects again; when those attempts are used up, it gets another attempt alone."""
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


def test_without_memory_every_suspect_waits_for_an_empty_worker(steps: Steps) -> None:
    """A worker that cannot start a process runs suspects one at a time; ready messages do not wait."""
    suspects = lost(steps, "gone", 2)
    [ready] = steps.begin("worker")
    steps.give_back([ready])
    claims = steps.claim("worker", memory="cramped")
    assert (claims.ids, claims.waiting) == ([ready.id], 2)
    assert steps.claim("worker", how="alone", memory="cramped").ids == [suspects[0].id]
    assert steps.crashed() == {}, "only the additional attempt is recorded"

    steps.register("other")
    assert steps.claim("other", how="busy").ids == [suspects[1].id], "another worker has memory"


def test_a_loss_without_memory_buries_nothing_before_the_additional_attempt(steps: Steps) -> None:
    """An attempt that ran alone only because memory was short counts like any other."""
    [one] = lost(steps, "gone", times=ATTEMPTS - 1)
    steps.register("first")
    assert steps.claim("first", how="alone", memory="cramped").ids == [one.id]
    steps.crash("first")
    steps.register("second")
    claims = steps.claim("second", memory="cramped")
    assert (claims.claimed, claims.waiting) == ([], 1)
    assert steps.claim("second", how="alone", memory="cramped").ids == [one.id]
    assert steps.crashed() == {one.id: str(ATTEMPTS + 1)}
    steps.crash("second")
    steps.register("third")
    assert [claimed.lost_alone for claimed in steps.claim("third", memory="cramped").claimed] == [True]


def test_an_empty_worker_with_memory_again_leaves_suspects_to_ordinary_claims(steps: Steps) -> None:
    """Memory may be free again when the worker is empty; then the suspect needs no empty worker."""
    [one] = lost(steps, "gone")
    steps.register("worker")
    assert steps.claim("worker", memory="cramped").waiting == 1
    assert steps.claim("worker", how="alone").claimed == []
    assert steps.claim("worker").ids == [one.id]


def test_one_busy_worker_empties_itself(steps: Steps) -> None:
    """The others continue, and so does that worker after it has claimed its suspect."""
    at_limit = lost(steps, "gone", 2, times=ATTEMPTS)
    steps.register("first")
    steps.register("second")
    assert steps.claim("first", how="busy").waiting == 2
    assert steps.claim("second", how="busy").waiting == -2
    assert steps.claim("first", how="busy").waiting == 2
    assert steps.claim("first", how="alone").ids == [at_limit[0].id]
    assert steps.claim("second", how="busy").waiting == 1
    assert steps.claim("first", how="busy").waiting == -1


def test_an_idle_worker_does_not_wait_for_a_busy_one(steps: Steps) -> None:
    """It is already empty, unless it claims something in the same step."""
    [at_limit] = lost(steps, "gone", times=ATTEMPTS)
    steps.register("busy")
    steps.register("idle")
    assert steps.claim("busy", how="busy").waiting == 1
    [ready] = steps.begin("worker")
    steps.give_back([ready])
    claims = steps.claim("idle")
    assert (claims.ids, claims.waiting) == ([ready.id], -1)
    steps.settle(claims.deliveries)
    assert steps.claim("idle").waiting == 1
    assert steps.claim("idle", how="alone").ids == [at_limit.id]


@pytest.mark.parametrize("problem", ["expired lease", "lease marked as lost", "deregistered", "deadline passed"])
def test_a_worker_that_fails_to_empty_itself_is_replaced(steps: Steps, problem: str) -> None:
    """A suspect never waits for a single worker."""
    lost(steps, "gone", times=ATTEMPTS)
    steps.register("first")
    steps.register("second")
    assert steps.claim("first", how="busy").waiting == 1
    match problem:
        case "expired lease":
            steps.lose("first")
        case "lease marked as lost":
            steps.ask("ZADD", KEYS.alive, -1, "first")
        case "deregistered":
            steps.deregister("first")
        case _:
            steps.ask("HSET", KEYS.position, "emptying", "1 first")
    assert steps.claim("second", how="busy").waiting == 1


def test_a_stuck_worker_leaves_emptying_to_others(steps: Steps) -> None:
    """It never starts to empty itself, and gives up its turn if it has started."""
    lost(steps, "gone", times=ATTEMPTS)
    steps.register("first")
    steps.register("second")
    assert steps.claim("first", how="stuck").waiting == -1
    assert steps.claim("first", how="busy").waiting == 1
    assert steps.claim("second", how="stuck").waiting == -1
    assert steps.claim("second", how="busy").waiting == -1, "a worker cannot give up another's turn"
    assert steps.claim("first", how="stuck").waiting == -1
    assert steps.claim("second", how="busy").waiting == 1


def test_a_drain_charges_a_suspect_no_attempt(steps: Steps) -> None:
    """The empty worker gives it back, and it is at its limit as before."""
    lost(steps, "gone", times=ATTEMPTS)
    steps.register("worker")
    alone = steps.claim("worker", how="alone")
    steps.give_back(alone.deliveries, to=SUSPECT)
    claims = steps.claim("worker")
    assert (claims.claimed, claims.waiting) == ([], 1)
    again = steps.claim("worker", how="alone")
    assert again.ids == alone.ids


def test_suspects_at_the_limit_do_not_hide_ordinary_ones(steps: Steps) -> None:
    """Fifty of them stand in front, and a claim for one suspect still finds an ordinary one."""
    lost(steps, "gone", 50, times=ATTEMPTS)
    ordinary = lost(steps, "other", 3)
    steps.register("worker")
    for one in ordinary:
        claims = steps.claim("worker", suspects=1)
        assert claims.ids == [one.id]
    nothing = steps.claim("worker", suspects=1)
    assert (nothing.claimed, nothing.waiting) == ([], 50)


def test_ordinary_suspects_do_not_hide_one_at_the_limit(steps: Steps) -> None:
    """The empty worker finds it behind fifty others."""
    *ordinary, at_limit = steps.begin("gone", 51)
    steps.give_back(ordinary, to=SUSPECT)
    steps.crash("gone")
    steps.register("worker")
    alone = steps.claim("worker", attempts=1, how="alone")
    assert alone.ids == [at_limit.id]


def test_deleted_entries_are_dropped_and_counted(steps: Steps) -> None:
    """Redis 7 removes them during the claim, Redis 6 replies with nil; either way `gone` counts them."""
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


def test_deleted_entries_do_not_end_the_search(steps: Steps) -> None:
    """The claim continues after a page full of deleted entries."""
    ready = steps.begin("worker", 60)
    steps.give_back(ready)
    steps.ask("XDEL", KEYS.stream, *(one.id for one in ready[:50]))
    claims = steps.claim("worker", ready=4)
    assert (claims.gone, claims.ids) == (50, [one.id for one in ready[50:54]])


LARGE = b"x" * 300_000


def test_a_body_above_the_limit_stays_in_redis(steps: Steps) -> None:
    """The reply has its size, the message's own id and its deduplication key; the message is claimed like others."""
    own = [b"penstock-id", b"01J", b"penstock-key", b"job-1"]
    steps.send_as("*", "other", b"y" * 400_000, "data", b"x" * (1 << 18), "data", LARGE)
    steps.send_as("*", "data", LARGE, *own, "penstock-traceparent", "00-1-2-3")
    steps.register("worker")
    steps.give_back(steps.read("worker"))
    allowed, large = steps.claim("worker", max_size=1 << 18).claimed
    assert (allowed.left_out, len(allowed.fields)) == (0, 6), "only the first field of this name is the body"
    assert (large.left_out, large.fields) == (len(LARGE), own)
    assert large.delivery.count == 2


def test_each_field_belongs_to_the_body(steps: Steps) -> None:
    """With `encoding: fields`, names and values count, except Penstock's own."""
    steps.send_as("*", "a", b"x" * 60, "bcd", b"y" * 36, "penstock-id", "01J")
    steps.register("worker")
    steps.give_back(steps.read("worker"))
    [one] = steps.claim("worker", field="", max_size=100).claimed
    assert one.left_out == 0
    steps.give_back([one.delivery])
    [one] = steps.claim("worker", field="", max_size=99).claimed
    assert (one.left_out, one.fields) == (100, [b"penstock-id", b"01J"])


def test_a_message_that_was_lost_alone_is_buried_without_its_body(steps: Steps) -> None:
    """It may have been too large for its worker, although the spec allows its size; a small body is in the reply."""
    steps.register("gone1")
    steps.send_as("*", "data", b"x" * 100_000)
    steps.send_as("*", "data", "{}")
    steps.read("gone1")
    steps.crash("gone1")
    for n in (2, 3):
        steps.register(f"gone{n}")
        steps.claim(f"gone{n}")
        steps.crash(f"gone{n}")
    for n in (4, 5):
        steps.register(f"gone{n}")
        assert len(steps.claim(f"gone{n}", how="alone").claimed) == 1
        steps.crash(f"gone{n}")
    steps.register("worker")
    claims = steps.claim("worker")
    assert [(one.lost_alone, one.left_out, one.fields) for one in claims.claimed] == [
        (True, 100_000, []),
        (True, 0, [b"data", b"{}"]),
    ]


def test_a_claim_stops_after_a_number_of_bytes(steps: Steps) -> None:
    """The others stay claimable; at least one message is claimed, however large it is."""
    steps.register("worker")
    for _ in range(20):
        steps.send_as("*", "data", b"x" * 10_000)
    steps.give_back(steps.read("worker"))
    first = steps.claim("worker", bytes_=50_000)
    assert 5 <= len(first.claimed) <= 10
    assert len(steps.claim("worker", bytes_=1).claimed) == 1
    rest = steps.claim("worker")
    assert len(first.claimed) + 1 + len(rest.claimed) == 20
    assert list(steps.pending().values()) == [("worker", 2)] * 20


def test_a_suspect_of_a_history_stays_recorded_while_it_runs(steps: Steps) -> None:
    """A deleted consumer would drop it, and its entry would look finished. Uncharged deliveries stay the same."""
    first = steps.begin("gone", 2)
    steps.give_back(first[:1])
    steps.register("gone1")
    steps.claim("gone1")
    for consumer in ("gone", "gone1"):
        steps.crash(consumer, history=True)
    given_back, new = (one.id for one in first)
    steps.register("worker")
    claims = steps.claim("worker")
    assert {one.delivery.id: one.uncharged for one in claims.claimed} == {given_back: 1, new: 0}
    assert steps.ask("HGET", KEYS.uncharged, given_back) == b"1@1"
    assert steps.ask("HGET", KEYS.uncharged, new) == b"0@1"
    assert steps.ask("HLEN", KEYS.crashed) == 0
    assert steps.settle(claims.deliveries) == [DONE, DONE]
    assert steps.ask("EXISTS", KEYS.uncharged) == 0


def test_a_suspect_needs_no_record_without_history(steps: Steps) -> None:
    """Its entry leaves the stream only when it is finished."""
    lost(steps, "gone")
    steps.register("worker")
    steps.claim("worker")
    assert steps.ask("EXISTS", KEYS.uncharged) == 0


def test_a_record_from_before_a_group_was_set_back_hides_no_attempts(steps: Steps) -> None:
    """Counts have started again below the record of a forced claim: every delivery since then is an attempt."""
    [one] = steps.begin("worker")
    steps.ask("HSET", KEYS.uncharged, one.id, "1000@1000")
    assert steps.park([one], wait=0) == [DONE]
    steps.promote()
    [claimed] = steps.claim("worker").claimed
    assert (claimed.delivery.count, claimed.uncharged) == (2, 0)
