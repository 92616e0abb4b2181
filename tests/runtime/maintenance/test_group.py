"""The group exists before workers read, and after its deletion no fence is used twice."""

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
    """The group does not skip messages from before its creation; a second call changes nothing."""
    driver = PipelineDriver(target)
    ids = driver.add(3)

    assert [run_async(ensured(driver)) for _ in range(2)] == ["made", "there"]
    assert driver.read(driver.join_group()) == ids


def test_the_group_is_created_with_its_stream(target: Target) -> None:
    """One call creates both if the stream does not exist yet."""
    driver = PipelineDriver(target)
    assert run_async(ensured(driver)) == "made"
    assert driver.number("XLEN", driver.keys.stream) == 0


def test_a_foreign_group_is_adopted(target: Target) -> None:
    """A team may add workers to an existing stream; a later deletion of the group is noticed."""
    driver = PipelineDriver(target)
    driver.add(3)
    driver.ask("XGROUP", "CREATE", driver.keys.stream, driver.keys.group, "$")

    assert run_async(ensured(driver)) == "there"
    driver.ask("XGROUP", "DESTROY", driver.keys.stream, driver.keys.group)
    assert run_async(ensured(driver)) == "again"


def test_a_recreated_group_starts_at_the_last_message(target: Target) -> None:
    """So no delivery count is used twice; reconciling brings back the rest, and the side keys are empty."""
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
    assert driver.ask("HGET", driver.keys.uncharged, "~count") == "7000", "forced counts never repeat either"


def test_with_history_only_what_the_record_of_an_earlier_version_leaves_comes_back(target: Target) -> None:
    """It recorded an id up to which everything was finished. Nothing is read again: that would repeat fences."""
    driver = PipelineDriver(target, HISTORY)
    run_async(ensured(driver))
    ids = driver.add(4)
    driver.ask("HSET", driver.keys.position, "last", ids[1])
    driver.ask("XGROUP", "DESTROY", driver.keys.stream, driver.keys.group)

    assert run_async(ensured(driver)) == "again"
    assert driver.read(driver.join_group()) == []
    assert driver.listed("HMGET", driver.keys.position, "left", "until") == [f"({ids[1]}", ids[-1]]


def test_with_history_and_no_record_all_messages_come_back(target: Target) -> None:
    """It is better to run messages twice than never."""
    driver = PipelineDriver(target, HISTORY)
    run_async(ensured(driver))
    ids = driver.add(2)
    driver.ask("XGROUP", "DESTROY", driver.keys.stream, driver.keys.group)

    assert run_async(ensured(driver)) == "again"
    assert driver.read(driver.join_group()) == []
    assert driver.listed("HMGET", driver.keys.position, "left", "until") == ["-", ids[-1]]


def test_a_deleted_stream_counts_as_a_deleted_group(target: Target) -> None:
    """Messages sent since then are marked for reconciling."""
    driver = PipelineDriver(target)
    run_async(ensured(driver))
    driver.ask("DEL", driver.keys.stream)
    (entry,) = driver.add()

    assert run_async(ensured(driver)) == "again"
    assert driver.listed("HMGET", driver.keys.position, "left", "until") == ["-", entry]
