"""bury and replay: a message leaves the stream with the reason, and returns byte for byte."""

import random

import pytest
from redis_state import KEYS
from steps import DONE, GONE, Steps

from penstock.wire.errors import Refused
from penstock.worker.dead_letter import PACKED, unpack_fields

RANDOM = random.Random(11)  # noqa: S311 - no secret
DEDUP = "{work}:dedup:job-1"


def random_bytes(most: int) -> bytes:
    return RANDOM.randbytes(RANDOM.randrange(most))


@pytest.mark.parametrize("fields", [1, 7, 1000])
def test_a_dead_letter_keeps_all_fields_of_the_message(steps: Steps, fields: int) -> None:
    """Names and values stay byte for byte and in order, even empty and doubled ones; the reason follows."""
    body = [random_bytes(40) for _ in range(2 * fields)]
    body[:2] = [b"", b"\x00\xff\r\n"]
    steps.send_as("*", *body)
    steps.send_as("*", *body)
    steps.register("worker")
    one, two = steps.read("worker")
    reason = [b"penstock-dead-id", one.id.encode(), b"penstock-dead-error", b"ValueError: \xff"]
    assert steps.bury(one, [*body, *reason]) == DONE
    assert steps.dead() == [[*body, *reason]]
    assert steps.pending() == {two.id: ("worker", 1)}
    assert steps.entries() == [two.id]


def test_burying_clears_the_side_keys(steps: Steps) -> None:
    """Neither uncharged deliveries nor crashes of the message remain."""
    steps.park(steps.begin("worker"), uncharged=2, crashed=True)
    steps.promote()
    claims = steps.claim("worker")
    assert steps.bury(claims.deliveries[0]) == DONE
    assert (steps.pending(), steps.entries(), steps.uncharged(), steps.crashed()) == ({}, [], {}, {})


def test_a_repeated_bury_changes_nothing(steps: Steps) -> None:
    """After a lost reply, the repeat finds that the message is gone."""
    [one] = steps.begin("worker")
    assert steps.bury(one) == DONE
    assert steps.bury(one) == GONE
    assert len(steps.dead()) == 1


def test_another_group_keeps_the_entry(steps: Steps) -> None:
    """The message is dead for our group and new for the other."""
    [one] = steps.begin("worker")
    steps.ask("XGROUP", "CREATE", KEYS.stream, "audit", "0")
    assert steps.bury(one) == DONE
    assert (steps.pending(), steps.entries(), len(steps.dead())) == ({}, [one.id], 1)


def send(steps: Steps, own: str) -> object:
    """Send one message with the deduplication key, as the producer does."""
    keys = (KEYS.stream, KEYS.delayed, KEYS.bodies, KEYS.position, DEDUP)
    [answer] = steps.run("send", keys, KEYS.group, "until-done", 100, "reject", 90_000, own, 0, 2, "data", "{}")
    return answer


def send_and_bury(steps: Steps, own: str) -> None:
    """Send a message that dies at once."""
    assert isinstance(send(steps, own), bytes)
    [one] = steps.read("worker")
    assert steps.bury(one, dedup=DEDUP, own=own) == DONE


def test_one_dead_letter_is_written_without_the_right_to_mark_the_key(steps: Steps) -> None:
    """Pods may be newer than their rights. The message ends; its key stays taken until its window is over."""
    steps.register("worker")
    send(steps, "01ID")
    [one] = steps.read("worker")
    user = steps.ask("ACL", "WHOAMI")
    steps.ask("ACL", "SETUSER", user, "-set")
    try:
        assert steps.bury(one, dedup=DEDUP, own="01ID") == DONE
    finally:
        steps.ask("ACL", "SETUSER", user, "+set")
    assert (len(steps.dead()), steps.entries(), steps.pending()) == (1, [], {})
    assert steps.ask("GET", DEDUP) == b"01ID"


def test_a_repeated_send_of_a_dead_message_is_a_duplicate(steps: Steps) -> None:
    """The message died before its producer, which got no answer, sent it again: it is not added twice."""
    steps.register("worker")
    send_and_bury(steps, "01ID")
    assert 0 < steps.ask("PTTL", DEDUP) <= 90_000
    assert send(steps, "01ID") == [b"duplicate", b"01ID"]
    assert steps.entries() == []


def test_another_message_takes_the_key_of_a_dead_one(steps: Steps) -> None:
    """It may be sent, and holds the key from then on; the dead one still cannot be sent again."""
    steps.register("worker")
    send_and_bury(steps, "01ID")
    steps.ask("PEXPIRE", DEDUP, 10_000)
    assert isinstance(send(steps, "02ID"), bytes)
    assert steps.ask("PTTL", DEDUP) > 10_000
    assert send(steps, "03ID") == [b"duplicate", b"02ID"]
    assert send(steps, "02ID") == [b"duplicate", b"02ID"]
    assert send(steps, "01ID") == [b"duplicate", b"01ID"]


def test_several_dead_messages_of_a_key_are_remembered(steps: Steps) -> None:
    """A key whose messages always die remembers the last three and does not grow."""
    steps.register("worker")
    ids = [f"0{number}ID" for number in range(1, 6)]
    for own in ids:
        send_and_bury(steps, own)
    assert steps.ask("GET", DEDUP) == b" 05ID 04ID 03ID"
    assert [send(steps, own) for own in ids[2:]] == [[b"duplicate", own.encode()] for own in ids[2:]]


def test_one_call_sees_who_takes_the_key_of_a_dead_message(steps: Steps) -> None:
    """The second message of a call is a duplicate of the first, which took the key."""
    steps.register("worker")
    send_and_bury(steps, "01ID")
    keys = (KEYS.stream, KEYS.delayed, KEYS.bodies, KEYS.position, DEDUP, DEDUP)
    entry = ("data", "{}")
    args = (KEYS.group, "until-done", 100, "reject", 90_000, "02ID", 0, 2, *entry, "03ID", 0, 2, *entry)
    first, second = steps.run("send", keys, *args)
    assert isinstance(first, bytes)
    assert second == [b"duplicate", b"02ID"]


@pytest.mark.parametrize("own", ["02ID", ""])
def test_another_messages_deduplication_key_stays(steps: Steps, own: str) -> None:
    """The window was over and the message was sent again: the key belongs to that one."""
    [one] = steps.begin("worker")
    steps.ask("SET", DEDUP, "01ID", "PX", 60_000)
    assert steps.bury(one, dedup=DEDUP, own=own) == DONE
    assert steps.ask("GET", DEDUP) == b"01ID"


def test_an_expired_deduplication_key_does_not_prevent_burying(steps: Steps) -> None:
    [one] = steps.begin("worker")
    assert steps.bury(one, dedup=DEDUP, own="") == DONE
    assert steps.ask("EXISTS", DEDUP) == 0


def test_a_lost_consumer_buries_nothing(steps: Steps) -> None:
    """The message stays, and so does its deduplication key."""
    [one] = steps.begin("stale")
    steps.ask("SET", DEDUP, "01ID")
    steps.crash("stale")
    assert steps.bury(one, dedup=DEDUP, own="01ID") not in (DONE, GONE)
    assert (steps.ask("GET", DEDUP), steps.dead(), steps.entries()) == (b"01ID", [], [one.id])


def buried(steps: Steps) -> str:
    """Bury a message; return the id of its dead letter."""
    [one] = steps.begin("worker")
    steps.bury(one)
    dead = steps.ask("XRANGE", KEYS.dead, "-", "+")
    assert isinstance(dead, list)
    assert isinstance(dead[0], list)
    assert isinstance(dead[0][0], bytes)
    return dead[0][0].decode()


def test_a_replayed_message_is_new(steps: Steps) -> None:
    """The step also removes the dead letter; the fields are those given, and the delivery count starts at one."""
    dead = buried(steps)
    body = [b"\x00\xff", b"", b"data", b"\r\n"]
    id_ = steps.replay(dead, *body)
    assert steps.dead() == []
    assert steps.ask("XRANGE", KEYS.stream, "-", "+") == [[(id_ or "").encode(), body]]
    assert [(one.id, one.count) for one in steps.read("worker")] == [(id_, 1)]


def test_a_repeated_replay_changes_nothing(steps: Steps) -> None:
    """After a lost reply, the repeat adds no second message."""
    dead = buried(steps)
    id_ = steps.replay(dead, "data", "{}")
    assert steps.replay(dead, "data", "{}") is None
    assert steps.entries() == [id_]


def test_a_refused_replay_keeps_the_dead_letter(steps: Steps) -> None:
    """The stream comes first, the removal last."""
    dead = buried(steps)
    steps.ask("DEL", KEYS.stream)
    steps.ask("SET", KEYS.stream, "something else")
    with pytest.raises(Refused, match="WRONGTYPE"):
        steps.replay(dead, "data", "{}")
    with pytest.raises(Refused, match=r"(?i)wrong number"):
        steps.replay(dead, "data")
    assert len(steps.dead()) == 1


def test_a_message_with_thousands_of_fields_is_replayed(steps: Steps) -> None:
    """Lua passes a limited number of arguments to a command."""
    body = [b"%d" % n for n in range(2 * 3900)]
    assert steps.replay(buried(steps), *body)
    stream = steps.ask("XRANGE", KEYS.stream, "-", "+")
    assert isinstance(stream, list)
    assert isinstance(stream[0], list)
    assert stream[0][1] == body


@pytest.mark.parametrize("fields", [1, 1000])
def test_redis_copies_the_fields_of_the_entry(steps: Steps, fields: int) -> None:
    """The worker sends only the reason; the original fields come first, byte for byte."""
    body = [random_bytes(40) for _ in range(2 * fields)]
    body[:2] = [b"data", RANDOM.randbytes(1_000_000)]
    steps.send_as("*", *body)
    steps.register("worker")
    [one] = steps.read("worker")
    reason = [b"penstock-dead-id", one.id.encode(), b"penstock-dead-reason", b"unreadable"]
    assert steps.bury(one, reason, copies=True) == DONE
    assert steps.dead() == [[*body, *reason]]
    assert (steps.pending(), steps.entries()) == ({}, [])


def test_redis_packs_an_entry_with_many_fields(steps: Steps) -> None:
    """As the worker does: Lua can pass only some thousands of values to a command."""
    body = [random_bytes(20) for _ in range(2 * 3500)]
    steps.send_as("*", *body)
    steps.register("worker")
    [one] = steps.read("worker")
    reason = [b"penstock-dead-id", one.id.encode()]
    assert steps.bury(one, reason, copies=True) == DONE
    [[name, packed, *rest]] = steps.dead()
    assert (name, rest) == (PACKED, reason)
    assert unpack_fields(packed) == body


def test_an_entry_that_was_deleted_leaves_no_dead_letter(steps: Steps) -> None:
    """Redis has nothing to copy. The message is no longer pending."""
    [one] = steps.begin("worker")
    steps.ask("XDEL", KEYS.stream, one.id)
    assert steps.bury(one, ["penstock-dead-id", one.id], copies=True) == GONE
    assert (steps.pending(), steps.dead()) == ({}, [])
