"""The group exists before anybody reads, and after it vanished no fence is used twice."""

from promises import keep
from stage import Stage
from targets import Target

from penstock.maintenance.group import GroupState, ensure_group

HISTORY = "stream: {retention: {keep: {length: 1000}}}"


async def ensured(stage: Stage) -> GroupState:
    link = stage.link()
    try:
        return await ensure_group(link, stage.keys, stage.pipeline.spec)
    finally:
        await link.close()


def test_a_new_group_starts_at_the_first_message(target: Target) -> None:
    """Messages from before its creation are not skipped; a second call changes nothing."""
    stage = Stage(target)
    ids = stage.add(3)

    assert [keep(ensured(stage)) for _ in range(2)] == ["made", "there"]
    assert stage.read(stage.life()) == ids


def test_the_group_is_created_with_its_stream(target: Target) -> None:
    """If the stream does not exist yet."""
    stage = Stage(target)
    assert keep(ensured(stage)) == "made"
    assert stage.number("XLEN", stage.keys.stream) == 0


def test_a_foreign_group_is_adopted(target: Target) -> None:
    """A team adds workers to an existing stream; if the group vanishes later, that is noticed."""
    stage = Stage(target)
    stage.add(3)
    stage.ask("XGROUP", "CREATE", stage.keys.stream, stage.keys.group, "$")

    assert keep(ensured(stage)) == "there"
    stage.ask("XGROUP", "DESTROY", stage.keys.stream, stage.keys.group)
    assert keep(ensured(stage)) == "again"


def test_a_vanished_group_starts_at_the_last_message(target: Target) -> None:
    """So no delivery count is used twice; what is left will be brought back, and the indexes are empty."""
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


def test_with_history_a_vanished_group_starts_after_the_finished_messages(target: Target) -> None:
    """At the position that the janitor last recorded."""
    stage = Stage(target, HISTORY)
    keep(ensured(stage))
    ids = stage.add(4)
    stage.ask("HSET", stage.keys.position, "last", ids[1])
    stage.ask("XGROUP", "DESTROY", stage.keys.stream, stage.keys.group)

    assert keep(ensured(stage)) == "again"
    assert stage.read(stage.life()) == ids[2:]


def test_with_history_and_no_position_all_messages_come_again(target: Target) -> None:
    """Twice is better than never."""
    stage = Stage(target, HISTORY)
    keep(ensured(stage))
    ids = stage.add(2)
    stage.ask("XGROUP", "DESTROY", stage.keys.stream, stage.keys.group)

    assert keep(ensured(stage)) == "again"
    assert stage.read(stage.life()) == ids


def test_a_deleted_stream_is_a_vanished_group(target: Target) -> None:
    """Messages sent since then are marked to be brought back."""
    stage = Stage(target)
    keep(ensured(stage))
    stage.ask("DEL", stage.keys.stream)
    (entry,) = stage.add()

    assert keep(ensured(stage)) == "again"
    assert stage.listed("HMGET", stage.keys.position, "left", "until") == ["-", entry]
