"""What is due goes on, whoever asks; what is not stays."""

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
    """As `send.lua` does."""
    pack = "return redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack({'data', ARGV[2]}))"
    stage.ask("EVAL", pack, 1, stage.keys.bodies, name, body)
    stage.ask("ZADD", stage.keys.delayed, stage.now() + wait, name)


def test_parked_entries_become_ready_when_they_are_due(target: Target) -> None:
    """Due ones are ready with their delivery count as it was; the others stay, and the next due time is told."""
    stage = Stage(target)
    stage.make()
    first, second, third = stage.add(3)
    stage.read(stage.life())
    stage.park([first, second])
    stage.park([third], wait=60_000)

    told = keep(promoted(stage))

    assert stage.ready == [first, second]
    assert stage.parked == list(stage.due()) == [third]
    assert {one.deliveries for one in stage.pending().values()} == {1}
    assert (told.promoted, told.entered, told.lost, told.ready, told.suspect) == (2, 0, 0, True, False)
    assert told.next_due is not None
    assert 30_000 < told.next_due <= 60_000
    assert abs(told.time - stage.now()) < 10_000


def test_what_took_its_process_down_is_a_suspect_again(target: Target) -> None:
    """A parked entry whose handler crashed is to be run apart, not beside others."""
    stage = Stage(target)
    stage.make()
    ids = stage.add(2)
    stage.read(stage.life())
    stage.park(ids)
    stage.ask("HSET", stage.keys.crashed, ids[0], "crash")

    told = keep(promoted(stage))

    assert (stage.suspect, stage.ready) == ([ids[0]], [ids[1]])
    assert told.suspect


def test_what_somebody_else_owns_by_now_is_left_alone(target: Target) -> None:
    """A due time alone moves nothing: only what `~parked` still owns is promoted."""
    stage = Stage(target)
    stage.make()
    (entry,) = stage.add()
    consumer = stage.life()
    stage.read(consumer)
    stage.ask("ZADD", stage.keys.parked, stage.now(), entry)

    keep(promoted(stage))

    assert stage.owned(consumer) == [entry]
    assert stage.due() == {}


def test_parked_entries_that_were_deleted_are_told(target: Target) -> None:
    """Redis forgets them at once, or a claim finds out later; either way nothing waits for ever."""
    stage = Stage(target)
    stage.make()
    ids = stage.add(2)
    stage.read(stage.life())
    stage.park(ids)
    stage.ask("XDEL", stage.keys.stream, ids[0])

    told = keep(promoted(stage))
    claimed = stage.claim(stage.life())

    assert told.lost + claimed[0] == 1
    assert stage.pending().keys() == {ids[1]}


def test_delayed_messages_enter_the_stream_when_they_are_due(target: Target) -> None:
    """With their fields as they were sent, and nothing of them is left beside the stream."""
    stage = Stage(target)
    stage.make()
    delay(stage, "a", '{"n": 1}')
    delay(stage, "b", '{"n": 2}', wait=60_000)

    told = keep(promoted(stage))

    (entry,) = stage.listed("XRANGE", stage.keys.stream, "-", "+")
    assert entry[1] == ["data", '{"n": 1}']
    assert stage.listed("HKEYS", stage.keys.bodies) == stage.listed("ZRANGE", stage.keys.delayed, 0, -1) == ["b"]
    assert told.entered == 1


@pytest.mark.parametrize(
    "body",
    ["", "no msgpack", "\x01", "\x91\xa1a", "\x92\xa1a\x90", "\x92\xa1a"],
    ids=["empty", "text", "a number", "a name alone", "a list within", "cut off"],
)
def test_a_body_of_somebody_elses_keeps_nothing_behind_it_out(target: Target, body: str) -> None:
    """What cannot enter is dropped and told as lost; the next one enters."""
    stage = Stage(target)
    stage.make()
    stage.ask("HSET", stage.keys.bodies, "bad", body.encode("latin-1"))
    stage.ask("ZADD", stage.keys.delayed, 1, "bad")
    delay(stage, "good", "{}")

    told = keep(promoted(stage))

    assert (told.entered, told.lost) == (1, 1)
    assert stage.listed("HKEYS", stage.keys.bodies) == []


def test_one_call_is_bounded_and_says_that_there_is_more(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """By number and by bytes; a body beyond the bytes enters alone, as it could never enter otherwise."""
    monkeypatch.setattr(module, "MOST", 3)
    monkeypatch.setattr(module, "BYTES", 2000)
    stage = Stage(target)
    stage.make()
    ids = stage.add(5)
    stage.read(stage.life())
    stage.park(ids)
    for name in "abc":
        delay(stage, name, json.dumps(name * 3000))

    told = [keep(promoted(stage)) for _ in range(3)]

    assert [(one.promoted, one.entered) for one in told] == [(3, 1), (2, 1), (0, 1)]
    assert [one.next_due for one in told] == [0, 0, None]


def test_without_the_group_it_is_refused_and_known_for_that(target: Target) -> None:
    """By every make of Redis, whatever they put around it."""
    stage = Stage(target)
    with pytest.raises(Refused) as caught:
        keep(promoted(stage))
    assert without_group(caught.value)
