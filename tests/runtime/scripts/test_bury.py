"""bury, replay: out of the stream with its story, and back into it, byte for byte."""

import random

import pytest
from redis_state import KEYS
from steps import DONE, GONE, Steps

from penstock.wire.errors import Refused

RANDOM = random.Random(11)  # noqa: S311 - no secret
DEDUP = "{work}:dedup:job-1"


def anything(most: int) -> bytes:
    return RANDOM.randbytes(RANDOM.randrange(most))


@pytest.mark.parametrize("fields", [1, 7, 1000])
def test_a_dead_letter_has_what_the_message_had(steps: Steps, fields: int) -> None:
    """P4: names and values byte for byte and in order, empty ones and doubled ones too; then the story."""
    body = [anything(40) for _ in range(2 * fields)]
    body[:2] = [b"", b"\x00\xff\r\n"]
    steps.send_as("*", *body)
    steps.send_as("*", *body)
    steps.register("worker")
    one, two = steps.read("worker")
    story = [b"penstock-dead-id", one.id.encode(), b"penstock-dead-error", b"ValueError: \xff"]
    assert steps.bury(one, [*body, *story]) == DONE
    assert steps.dead() == [[*body, *story]]
    assert steps.pending() == {two.id: ("worker", 1)}
    assert steps.entries() == [two.id]


def test_nothing_is_remembered_of_the_dead(steps: Steps) -> None:
    """Neither what did not count, nor that it had crashed."""
    steps.park(steps.begin("worker"), uncharged=2, crashed=True)
    steps.promote()
    claims = steps.claim("worker")
    assert steps.bury(claims.deliveries[0]) == DONE
    assert (steps.pending(), steps.entries(), steps.uncharged(), steps.crashed()) == ({}, [], {}, {})


def test_it_is_buried_once(steps: Steps) -> None:
    """Repeated after a lost answer, it is gone."""
    [one] = steps.begin("worker")
    assert steps.bury(one) == DONE
    assert steps.bury(one) == GONE
    assert len(steps.dead()) == 1


def test_another_group_keeps_the_entry(steps: Steps) -> None:
    """It is dead for us, and new for them."""
    [one] = steps.begin("worker")
    steps.ask("XGROUP", "CREATE", KEYS.stream, "audit", "0")
    assert steps.bury(one) == DONE
    assert (steps.pending(), steps.entries(), len(steps.dead())) == ({}, [one.id], 1)


def test_burying_frees_the_deduplication_key(steps: Steps) -> None:
    """The same job may be sent again."""
    [one] = steps.begin("worker")
    steps.ask("SET", DEDUP, "01ID", "PX", 60_000)
    steps.bury(one, dedup=DEDUP, own="01ID")
    assert steps.ask("EXISTS", DEDUP) == 0


@pytest.mark.parametrize("own", ["02ID", ""])
def test_another_messages_deduplication_key_stays(steps: Steps, own: str) -> None:
    """Its window was over, and the same job was sent anew: that one is remembered."""
    [one] = steps.begin("worker")
    steps.ask("SET", DEDUP, "01ID", "PX", 60_000)
    assert steps.bury(one, dedup=DEDUP, own=own) == DONE
    assert steps.ask("GET", DEDUP) == b"01ID"


def test_a_deduplication_key_that_ran_out_is_not_missed(steps: Steps) -> None:
    [one] = steps.begin("worker")
    assert steps.bury(one, dedup=DEDUP, own="") == DONE
    assert steps.ask("EXISTS", DEDUP) == 0


def test_one_that_is_not_ours_frees_nothing(steps: Steps) -> None:
    """A sleeper buries nobody, and its message stays remembered."""
    [one] = steps.begin("sleeper")
    steps.ask("SET", DEDUP, "01ID")
    steps.crash("sleeper")
    assert steps.bury(one, dedup=DEDUP, own="01ID") not in (DONE, GONE)
    assert (steps.ask("GET", DEDUP), steps.dead(), steps.entries()) == (b"01ID", [], [one.id])


def buried(steps: Steps) -> str:
    """The id of a dead letter."""
    [one] = steps.begin("worker")
    steps.bury(one)
    told = steps.ask("XRANGE", KEYS.dead, "-", "+")
    assert isinstance(told, list)
    assert isinstance(told[0], list)
    assert isinstance(told[0][0], bytes)
    return told[0][0].decode()


def test_a_replayed_message_is_new(steps: Steps) -> None:
    """It leaves the dead letters in the same step, byte for byte what it is given, and its count starts at one."""
    dead = buried(steps)
    body = [b"\x00\xff", b"", b"data", b"\r\n"]
    id_ = steps.replay(dead, *body)
    assert steps.dead() == []
    assert steps.ask("XRANGE", KEYS.stream, "-", "+") == [[(id_ or "").encode(), body]]
    assert [(one.id, one.count) for one in steps.read("worker")] == [(id_, 1)]


def test_it_is_replayed_once(steps: Steps) -> None:
    """Repeated after a lost answer, nothing is doubled."""
    dead = buried(steps)
    id_ = steps.replay(dead, "data", "{}")
    assert steps.replay(dead, "data", "{}") is None
    assert steps.entries() == [id_]


def test_what_cannot_enter_the_stream_stays_dead(steps: Steps) -> None:
    """P2: the stream comes first, removal last."""
    dead = buried(steps)
    steps.ask("DEL", KEYS.stream)
    steps.ask("SET", KEYS.stream, "something else")
    with pytest.raises(Refused, match="WRONGTYPE"):
        steps.replay(dead, "data", "{}")
    with pytest.raises(Refused, match=r"(?i)wrong number"):
        steps.replay(dead, "data")
    assert len(steps.dead()) == 1


def test_as_many_fields_as_lua_can_hand_over(steps: Steps) -> None:
    """A message with thousands of fields comes back whole."""
    body = [b"%d" % n for n in range(2 * 3900)]
    assert steps.replay(buried(steps), *body)
    told = steps.ask("XRANGE", KEYS.stream, "-", "+")
    assert isinstance(told, list)
    assert isinstance(told[0], list)
    assert told[0][1] == body
