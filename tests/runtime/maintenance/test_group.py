"""The group is there before anybody reads, and when it vanished no fence is given twice."""

from promises import keep
from stage import Stage
from targets import Target

from penstock.maintenance.group import GroupState, ensure

HISTORY = "stream: {retention: {keep: {length: 1000}}}"


async def ensured(stage: Stage) -> GroupState:
    link = stage.link()
    try:
        return await ensure(link, stage.keys, stage.pipeline.spec)
    finally:
        await link.close()


def test_a_new_group_begins_at_the_beginning(target: Target) -> None:
    """What was sent before anybody worked is not passed over; asked again, nothing changes."""
    stage = Stage(target)
    ids = stage.add(3)

    assert [keep(ensured(stage)) for _ in range(2)] == ["made", "there"]
    assert stage.read(stage.life()) == ids


def test_the_group_of_a_stream_that_is_not_there_yet(target: Target) -> None:
    """It is made with the stream."""
    stage = Stage(target)
    assert keep(ensured(stage)) == "made"
    assert stage.number("XLEN", stage.keys.stream) == 0


def test_a_group_that_another_made_is_taken_as_it_is(target: Target) -> None:
    """A team puts workers on a stream that exists; should the group vanish later, that is noticed."""
    stage = Stage(target)
    stage.add(3)
    stage.ask("XGROUP", "CREATE", stage.keys.stream, stage.keys.group, "$")

    assert keep(ensured(stage)) == "there"
    stage.ask("XGROUP", "DESTROY", stage.keys.stream, stage.keys.group)
    assert keep(ensured(stage)) == "again"


def test_a_group_that_vanished_begins_at_the_end(target: Target) -> None:
    """So that no delivery count is given twice; what is left is to be brought back, and its indexes are empty."""
    stage = Stage(target)
    keep(ensured(stage))
    ids = stage.add(3)
    stage.read(stage.life())
    stage.park(ids[:1])
    stage.ask("HSET", stage.keys.uncharged, ids[1], 1, "~count", 7000)
    stage.ask("HSET", stage.keys.crashed, ids[2], "crash")
    stage.ask("XGROUP", "DESTROY", stage.keys.stream, stage.keys.group)

    assert keep(ensured(stage)) == "again"

    assert stage.read(stage.life()) == []
    assert stage.listed("HMGET", stage.keys.position, "left", "until") == ["-", ids[-1]]
    assert stage.due() == stage.uncharged() == {}
    assert stage.number("EXISTS", stage.keys.crashed) == 0
    assert stage.ask("HGET", stage.keys.uncharged, "~count") == "7000", "counts given by force never repeat either"


def test_where_history_is_kept_it_begins_behind_what_was_finished(target: Target) -> None:
    """As the janitor remembered it last."""
    stage = Stage(target, HISTORY)
    keep(ensured(stage))
    ids = stage.add(4)
    stage.ask("HSET", stage.keys.position, "last", ids[1])
    stage.ask("XGROUP", "DESTROY", stage.keys.stream, stage.keys.group)

    assert keep(ensured(stage)) == "again"
    assert stage.read(stage.life()) == ids[2:]


def test_where_history_is_kept_and_nothing_is_remembered_all_of_it_comes_again(target: Target) -> None:
    """Twice is better than never."""
    stage = Stage(target, HISTORY)
    keep(ensured(stage))
    ids = stage.add(2)
    stage.ask("XGROUP", "DESTROY", stage.keys.stream, stage.keys.group)

    assert keep(ensured(stage)) == "again"
    assert stage.read(stage.life()) == ids


def test_a_stream_that_was_deleted_is_a_group_that_vanished(target: Target) -> None:
    """What was sent since is left, and is marked to be brought back."""
    stage = Stage(target)
    keep(ensured(stage))
    stage.ask("DEL", stage.keys.stream)
    (entry,) = stage.add()

    assert keep(ensured(stage)) == "again"
    assert stage.listed("HMGET", stage.keys.position, "left", "until") == ["-", entry]
