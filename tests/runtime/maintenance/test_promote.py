"""Due messages are promoted; the others stay."""

import json

import pytest
from promises import keep
from stage import Stage
from targets import Target

from penstock.maintenance import promote as module
from penstock.maintenance.promote import PromoteResult, promote
from penstock.maintenance.replies import without_group
from penstock.wire.errors import Refused


async def promoted(stage: Stage) -> PromoteResult:
    link = stage.link()
    try:
        return await promote(link, stage.keys)
    finally:
        await link.close()


def delay(stage: Stage, name: str, body: str, *, wait: int = 0) -> None:
    """Delay a message as `send.lua` does."""
    pack = "return redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack({'data', ARGV[2]}))"
    stage.ask("EVAL", pack, 1, stage.keys.bodies, name, body)
    stage.ask("ZADD", stage.keys.delayed, stage.now() + wait, name)


def test_due_parked_entries_become_ready(target: Target) -> None:
    """With the same delivery count; the others stay, and the reply has the next due time."""
    stage = Stage(target)
    stage.make()
    first, second, third = stage.add(3)
    stage.read(stage.life())
    stage.park([first, second])
    stage.park([third], wait=60_000)

    result = keep(promoted(stage))

    assert stage.ready == [first, second]
    assert stage.parked == list(stage.due()) == [third]
    assert {one.deliveries for one in stage.pending().values()} == {1}
    assert (result.promoted, result.entered, result.lost, result.ready, result.suspect) == (2, 0, 0, True, False)
    assert result.next_due is not None
    assert 30_000 < result.next_due <= 60_000
    assert abs(result.time - stage.now()) < 10_000


def test_a_crashed_message_becomes_a_suspect_again(target: Target) -> None:
    """Its next attempt runs isolated too."""
    stage = Stage(target)
    stage.make()
    ids = stage.add(2)
    stage.read(stage.life())
    stage.park(ids)
    stage.ask("HSET", stage.keys.crashed, ids[0], "crash")

    result = keep(promoted(stage))

    assert (stage.suspect, stage.ready) == ([ids[0]], [ids[1]])
    assert result.suspect


def test_an_entry_that_a_consumer_owns_is_left_alone(target: Target) -> None:
    """A due time alone promotes nothing: only entries that `~parked` still owns are promoted."""
    stage = Stage(target)
    stage.make()
    (entry,) = stage.add()
    consumer = stage.life()
    stage.read(consumer)
    stage.ask("ZADD", stage.keys.parked, stage.now(), entry)

    keep(promoted(stage))

    assert stage.owned(consumer) == [entry]
    assert stage.due() == {}


def test_deleted_parked_entries_are_reported(target: Target) -> None:
    """Redis forgets them at once, or a claim finds out later; either way nothing waits for ever."""
    stage = Stage(target)
    stage.make()
    ids = stage.add(2)
    stage.read(stage.life())
    stage.park(ids)
    stage.ask("XDEL", stage.keys.stream, ids[0])

    result = keep(promoted(stage))
    claimed = stage.claim(stage.life())

    assert result.lost + claimed[0] == 1
    assert stage.pending().keys() == {ids[1]}


def test_due_delayed_messages_enter_the_stream(target: Target) -> None:
    """With the fields that were sent; nothing of them is left beside the stream."""
    stage = Stage(target)
    stage.make()
    delay(stage, "a", '{"n": 1}')
    delay(stage, "b", '{"n": 2}', wait=60_000)

    result = keep(promoted(stage))

    (entry,) = stage.listed("XRANGE", stage.keys.stream, "-", "+")
    assert entry[1] == ["data", '{"n": 1}']
    assert stage.listed("HKEYS", stage.keys.bodies) == stage.listed("ZRANGE", stage.keys.delayed, 0, -1) == ["b"]
    assert result.entered == 1


@pytest.mark.parametrize(
    "body",
    ["", "no msgpack", "\x01", "\x91\xa1a", "\x92\xa1a\x90", "\x92\xa1a"],
    ids=["empty", "text", "a number", "a name alone", "a list within", "cut off"],
)
def test_a_foreign_body_does_not_block_the_next_message(target: Target, body: str) -> None:
    """A body that cannot enter is dropped and reported as lost."""
    stage = Stage(target)
    stage.make()
    stage.ask("HSET", stage.keys.bodies, "bad", body.encode("latin-1"))
    stage.ask("ZADD", stage.keys.delayed, 1, "bad")
    delay(stage, "good", "{}")

    result = keep(promoted(stage))

    assert (result.entered, result.lost) == (1, 1)
    assert stage.listed("HKEYS", stage.keys.bodies) == []


def test_one_call_is_bounded_and_reports_more(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """By number and by bytes; a body that exceeds the bytes enters alone."""
    monkeypatch.setattr(module, "MOST", 3)
    monkeypatch.setattr(module, "BYTES", 2000)
    stage = Stage(target)
    stage.make()
    ids = stage.add(5)
    stage.read(stage.life())
    stage.park(ids)
    for name in "abc":
        delay(stage, name, json.dumps(name * 3000))

    result = [keep(promoted(stage)) for _ in range(3)]

    assert [(one.promoted, one.entered) for one in result] == [(3, 1), (2, 1), (0, 1)]
    assert [one.next_due for one in result] == [0, 0, None]


def test_a_missing_group_is_recognized(target: Target) -> None:
    """In the error of every server, whatever text it adds."""
    stage = Stage(target)
    with pytest.raises(Refused) as caught:
        keep(promoted(stage))
    assert without_group(caught.value)
