"""The group exists before anybody reads, and after it vanished no fence is used twice."""

from event_loop import run_async
from pipeline_driver import PipelineDriver
from targets import Target

from penstock.maintenance.group import GroupState, ensure_group

HISTORY = "stream: {retention: {keep: {length: 1000}}}"


async def ensured(driver: PipelineDriver) -> GroupState:
    link = driver.link()
    try:
        return await ensure_group(link, driver.keys, driver.pipeline.spec)
    finally:
        await link.close()


def test_a_new_group_starts_at_the_first_message(target: Target) -> None:
    """Messages from before its creation are not skipped; a second call changes nothing."""
    driver = PipelineDriver(target)
    ids = driver.add(3)

    assert [run_async(ensured(driver)) for _ in range(2)] == ["made", "there"]
    assert driver.read(driver.join_group()) == ids


def test_the_group_is_created_with_its_stream(target: Target) -> None:
    """If the stream does not exist yet."""
    driver = PipelineDriver(target)
    assert run_async(ensured(driver)) == "made"
    assert driver.number("XLEN", driver.keys.stream) == 0


def test_a_foreign_group_is_adopted(target: Target) -> None:
    """A team adds workers to an existing stream; if the group vanishes later, that is noticed."""
    driver = PipelineDriver(target)
    driver.add(3)
    driver.ask("XGROUP", "CREATE", driver.keys.stream, driver.keys.group, "$")

    assert run_async(ensured(driver)) == "there"
    driver.ask("XGROUP", "DESTROY", driver.keys.stream, driver.keys.group)
    assert run_async(ensured(driver)) == "again"


def test_a_vanished_group_starts_at_the_last_message(target: Target) -> None:
    """So no delivery count is used twice; what is left will be brought back, and the indexes are empty."""
    driver = PipelineDriver(target)
    run_async(ensured(driver))
    ids = driver.add(3)
    driver.read(driver.join_group())
    driver.park(ids[:1])
    driver.ask("HSET", driver.keys.uncharged, ids[1], 1, "~count", 7000)
    driver.ask("HSET", driver.keys.crashed, ids[2], "crash")
    driver.ask("XGROUP", "DESTROY", driver.keys.stream, driver.keys.group)

    assert run_async(ensured(driver)) == "again"

    assert driver.read(driver.join_group()) == []
    assert driver.listed("HMGET", driver.keys.position, "left", "until") == ["-", ids[-1]]
    assert driver.due() == driver.uncharged() == {}
    assert driver.number("EXISTS", driver.keys.crashed) == 0
    assert driver.ask("HGET", driver.keys.uncharged, "~count") == "7000", "counts given by force never repeat either"


def test_with_history_a_vanished_group_starts_after_the_finished_messages(target: Target) -> None:
    """At the position that the janitor last recorded."""
    driver = PipelineDriver(target, HISTORY)
    run_async(ensured(driver))
    ids = driver.add(4)
    driver.ask("HSET", driver.keys.position, "last", ids[1])
    driver.ask("XGROUP", "DESTROY", driver.keys.stream, driver.keys.group)

    assert run_async(ensured(driver)) == "again"
    assert driver.read(driver.join_group()) == ids[2:]


def test_with_history_and_no_position_all_messages_come_again(target: Target) -> None:
    """Twice is better than never."""
    driver = PipelineDriver(target, HISTORY)
    run_async(ensured(driver))
    ids = driver.add(2)
    driver.ask("XGROUP", "DESTROY", driver.keys.stream, driver.keys.group)

    assert run_async(ensured(driver)) == "again"
    assert driver.read(driver.join_group()) == ids


def test_a_deleted_stream_is_a_vanished_group(target: Target) -> None:
    """Messages sent since then are marked to be brought back."""
    driver = PipelineDriver(target)
    run_async(ensured(driver))
    driver.ask("DEL", driver.keys.stream)
    (entry,) = driver.add()

    assert run_async(ensured(driver)) == "again"
    assert driver.listed("HMGET", driver.keys.position, "left", "until") == ["-", entry]
