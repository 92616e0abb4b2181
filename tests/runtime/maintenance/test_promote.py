"""Promoting moves due messages and leaves the others."""

import json

import pytest
from event_loop import run_async
from pipeline_driver import PipelineDriver
from targets import Target

from penstock.maintenance import promote as module
from penstock.maintenance.promote import PromoteResult, promote
from penstock.maintenance.replies import without_group
from penstock.wire.errors import Refused


async def promoted(driver: PipelineDriver) -> PromoteResult:
    link = driver.link()
    try:
        return await promote(link, driver.keys)
    finally:
        await link.close()


def delay(driver: PipelineDriver, name: str, body: str, *, wait: int = 0) -> None:
    """Delay a message as `send.lua` does."""
    pack = "return redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack({'data', ARGV[2]}))"
    driver.ask("EVAL", pack, 1, driver.keys.bodies, name, body)
    driver.ask("ZADD", driver.keys.delayed, driver.now() + wait, name)


def test_due_parked_entries_become_ready(target: Target) -> None:
    """They keep their delivery count; the others stay, and the reply has the next due time."""
    driver = PipelineDriver(target)
    driver.create_group()
    first, second, third = driver.add(3)
    driver.read(driver.join_group())
    driver.park([first, second])
    driver.park([third], wait=60_000)

    result = run_async(promoted(driver))

    assert driver.ready == [first, second]
    assert driver.parked == list(driver.due()) == [third]
    assert {one.deliveries for one in driver.pending().values()} == {1}
    assert (result.promoted, result.entered, result.lost, result.ready, result.suspect) == (2, 0, 0, True, False)
    assert result.next_due is not None
    assert 30_000 < result.next_due <= 60_000
    assert abs(result.time - driver.now()) < 10_000


def test_a_crashed_message_becomes_a_suspect_again(target: Target) -> None:
    """Its next attempt runs isolated too."""
    driver = PipelineDriver(target)
    driver.create_group()
    ids = driver.add(2)
    driver.read(driver.join_group())
    driver.park(ids)
    driver.ask("HSET", driver.keys.crashed, ids[0], "crash")

    result = run_async(promoted(driver))

    assert (driver.suspect, driver.ready) == ([ids[0]], [ids[1]])
    assert result.suspect


def test_an_entry_that_a_consumer_owns_is_left_alone(target: Target) -> None:
    """A due time alone promotes nothing: only entries that `~parked` still owns are promoted."""
    driver = PipelineDriver(target)
    driver.create_group()
    (entry,) = driver.add()
    consumer = driver.join_group()
    driver.read(consumer)
    driver.ask("ZADD", driver.keys.parked, driver.now(), entry)

    run_async(promoted(driver))

    assert driver.owned(consumer) == [entry]
    assert driver.due() == {}


def test_deleted_parked_entries_are_reported(target: Target) -> None:
    """Redis drops them at once, or a later claim notices; either way nothing waits forever."""
    driver = PipelineDriver(target)
    driver.create_group()
    ids = driver.add(2)
    driver.read(driver.join_group())
    driver.park(ids)
    driver.ask("XDEL", driver.keys.stream, ids[0])

    result = run_async(promoted(driver))
    claimed = driver.claim(driver.join_group())

    assert result.lost + claimed[0] == 1
    assert driver.pending().keys() == {ids[1]}


def test_due_delayed_messages_enter_the_stream(target: Target) -> None:
    """They have the fields that were sent, and leave nothing in the side keys."""
    driver = PipelineDriver(target)
    driver.create_group()
    delay(driver, "a", '{"n": 1}')
    delay(driver, "b", '{"n": 2}', wait=60_000)

    result = run_async(promoted(driver))

    (entry,) = driver.listed("XRANGE", driver.keys.stream, "-", "+")
    assert entry[1] == ["data", '{"n": 1}']
    assert driver.listed("HKEYS", driver.keys.bodies) == driver.listed("ZRANGE", driver.keys.delayed, 0, -1) == ["b"]
    assert result.entered == 1


@pytest.mark.parametrize(
    "body",
    ["", "no msgpack", "\x01", "\x91\xa1a", "\x92\xa1a\x90", "\x92\xa1a"],
    ids=["empty", "text", "a number", "a name alone", "a list within", "cut off"],
)
def test_a_foreign_body_does_not_block_the_next_message(target: Target, body: str) -> None:
    """A body that cannot enter is dropped and reported as lost."""
    driver = PipelineDriver(target)
    driver.create_group()
    driver.ask("HSET", driver.keys.bodies, "bad", body.encode("latin-1"))
    driver.ask("ZADD", driver.keys.delayed, 1, "bad")
    delay(driver, "good", "{}")

    result = run_async(promoted(driver))

    assert (result.entered, result.lost) == (1, 1)
    assert driver.listed("HKEYS", driver.keys.bodies) == []


def test_one_call_is_bounded_and_reports_more(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call moves a limited number of messages and bytes; a body above the limit enters alone."""
    monkeypatch.setattr(module, "MOST", 3)
    monkeypatch.setattr(module, "BYTES", 2000)
    driver = PipelineDriver(target)
    driver.create_group()
    ids = driver.add(5)
    driver.read(driver.join_group())
    driver.park(ids)
    for name in "abc":
        delay(driver, name, json.dumps(name * 3000))

    result = [run_async(promoted(driver)) for _ in range(3)]

    assert [(one.promoted, one.entered) for one in result] == [(3, 1), (2, 1), (0, 1)]
    assert [one.next_due for one in result] == [0, 0, None]


def test_a_missing_group_is_recognized(target: Target) -> None:
    """The error is recognized on every server, with any additional text."""
    driver = PipelineDriver(target)
    with pytest.raises(Refused) as caught:
        run_async(promoted(driver))
    assert without_group(caught.value)
