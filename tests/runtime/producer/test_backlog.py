"""The backlog never exceeds its limit, even when many producers send at once."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from event_loop import run_async, until
from sending import STREAM, entries, jobs, keys_of, number, pipeline, with_group
from targets import Target

from penstock.keys import PipelineKeys
from penstock.producer import BacklogFull, Failed, Outcome, Producer, Sent
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.spec import Pipeline

pytestmark = pytest.mark.wire

DROPS: dict[str, Any] = {"when_full": "drop-oldest", "lossy": True}


def producer(target: Target, spec: Pipeline) -> Producer:
    return Producer(spec, target.redis, credentials=target.credentials)


def ids(target: Target) -> list[str]:
    return [entry.id for entry in entries(target)]


def numbers(target: Target) -> list[int]:
    return [json.loads(entry.fields["data"])["n"] for entry in entries(target)]


def read(target: Target, count: int, group: str = "crew") -> list[str]:
    """Read `count` entries as a worker; return their ids."""
    reply = target.ask("XREADGROUP", "GROUP", group, "worker", "COUNT", count, "STREAMS", STREAM, ">")
    assert isinstance(reply, list)
    stream = reply[0]
    assert isinstance(stream, list)
    entries_read = stream[1]
    assert isinstance(entries_read, list)
    return [str(entry[0]) for entry in entries_read if isinstance(entry, list)]


def pending(target: Target, group: str = "crew") -> list[str]:
    reply = target.ask("XPENDING", STREAM, group, "-", "+", 1000)
    assert isinstance(reply, list)
    return [str(one[0]) for one in reply if isinstance(one, list)]


def sent_by_many(target: Target, spec: Pipeline, each: int, threads: int = 6) -> list[Outcome]:
    """Threads with a connection each send at the same time, some one by one and some together."""
    outcomes: list[Outcome] = []

    async def one_by_one() -> None:
        async with producer(target, spec) as mine:
            for body in jobs(each):
                outcomes.extend(await mine.send_many([body]))

    async def together() -> None:
        async with producer(target, spec) as mine:
            outcomes.extend(await mine.send_many(jobs(each)))

    kinds = [one_by_one if number % 2 else together for number in range(threads)]
    running = [threading.Thread(target=lambda kind=kind: run_async(kind())) for kind in kinds]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return outcomes


def test_the_limit_is_exact_under_many_producers(target: Target) -> None:
    """Exactly `limit` messages are sent; every other send fails."""
    outcomes = sent_by_many(target, pipeline(backlog={"limit": 100}), 50)
    assert number(target, "XLEN", STREAM) == 100
    assert sum(isinstance(outcome, Sent) for outcome in outcomes) == 100
    assert sum(isinstance(outcome, Failed) for outcome in outcomes) == 200


def test_delayed_messages_count_from_their_send(target: Target) -> None:
    """A delayed message takes room before it enters the stream."""

    async def scenario() -> None:
        async with producer(target, pipeline(backlog={"limit": 5})) as one:
            await one.send_many(jobs(3), delay="1h")
            outcomes = await one.send_many(jobs(3))
            assert [type(outcome) for outcome in outcomes] == [Sent, Sent, Failed]
            with pytest.raises(BacklogFull, match=r"^the backlog has reached `stream\.backlog\.limit` \(5\)"):
                await one.send({"job": "a"}, delay="1h")

    run_async(scenario())


def test_pending_messages_take_room_until_done(target: Target) -> None:
    """Reading makes no room; finishing does."""

    async def scenario() -> None:
        spec = pipeline(backlog={"limit": 3})
        async with producer(target, spec) as one, with_group(target, spec):
            await one.send_many(jobs(3))
            first = read(target, 3)[0]
            with pytest.raises(BacklogFull):
                await one.send({"job": "a"})
            target.ask("XACK", STREAM, "crew", first)
            target.ask("XDEL", STREAM, first)
            assert isinstance(await one.send({"job": "a"}), Sent)

    run_async(scenario())


def test_what_another_group_keeps_in_the_stream_takes_no_room(target: Target) -> None:
    """Somebody creates a group to debug: finished messages stay, and sends go on; unfinished ones count as before."""

    async def scenario() -> None:
        spec = pipeline(backlog={"limit": 3})
        keys = PipelineKeys.of(spec)
        async with producer(target, spec) as one, with_group(target, spec):
            target.ask("XGROUP", "CREATE", STREAM, "oncall-debug", "0")
            for _ in range(4):
                await one.send_many(jobs(3))
                ids = read(target, 3)
                target.ask("SADD", keys.finished, *ids)
                target.ask("XACK", STREAM, "crew", *ids)
            assert number(target, "XLEN", STREAM) == 12
            outcomes = await one.send_many(jobs(4))
            assert [type(outcome) for outcome in outcomes] == [Sent, Sent, Sent, Failed]
            with pytest.raises(BacklogFull):
                await one.send({"job": "a"})

    run_async(scenario())


# With kept history, the backlog is what the group has not finished.


@asynccontextmanager
async def with_history(target: Target, limit: int) -> AsyncIterator[Producer | None]:
    """Yield a producer for a stream with history, or None on a Redis that counts no lag, which the producer refuses."""
    spec = pipeline(backlog={"limit": limit}, keep={"length": 1000})
    version = str(target.masters()[0].ask("INFO", "server")).partition("redis_version:")[2]
    if int(version.partition(".")[0]) >= 7:
        async with producer(target, spec) as one, with_group(target, spec):
            yield one
    else:
        with pytest.raises(CannotGoOn, match="this Redis cannot count the backlog of `jobs`"):
            await producer(target, spec).__aenter__()
        assert target.ask("EXISTS", STREAM) == 0
        yield None


def test_finished_history_takes_no_room(target: Target) -> None:
    """Unread and pending entries count; acknowledged entries do not, although they stay in the stream."""

    async def scenario() -> None:
        async with with_history(target, 4) as one:
            if one is None:
                return
            await one.send_many(jobs(4))
            done, running, *_ = read(target, 2)
            target.ask("XACK", STREAM, "crew", done)
            outcomes = await one.send_many(jobs(2))
            assert [type(outcome) for outcome in outcomes] == [Sent, Failed]
            target.ask("XACK", STREAM, "crew", running)
            outcomes = await one.send_many(jobs(2), delay="1h")
            assert [type(outcome) for outcome in outcomes] == [Sent, Failed]
            assert number(target, "XLEN", STREAM) == 5

    run_async(scenario())


def test_without_a_group_all_history_counts(target: Target) -> None:
    """Without a consumer group, every entry is unread."""

    async def scenario() -> None:
        async with with_history(target, 3) as one:
            if one is None:
                return
            target.ask("XGROUP", "DESTROY", STREAM, "crew")
            outcomes = await one.send_many(jobs(5))
            assert [type(outcome) for outcome in outcomes] == [Sent] * 3 + [Failed] * 2

    run_async(scenario())


def test_the_limit_holds_after_unread_history_is_deleted(target: Target) -> None:
    """Redis then loses the lag of the group; the limit still holds."""

    async def scenario() -> None:
        async with with_history(target, 10) as one:
            if one is None:
                return
            await one.send_many(jobs(6))
            read(target, 2)
            target.ask("XDEL", STREAM, ids(target)[4])
            outcomes = await one.send_many(jobs(20))
            assert 4 <= sum(isinstance(outcome, Sent) for outcome in outcomes) <= 5
            assert number(target, "XLEN", STREAM) <= 10

    run_async(scenario())


# `wait`


WAITS: dict[str, Any] = {"limit": 2, "when_full": "wait"}


def test_a_waiting_send_resumes_when_there_is_room(target: Target) -> None:
    """A send into a full backlog continues, in order, after a message is finished."""

    async def scenario() -> None:
        async with producer(target, pipeline(backlog=WAITS)) as one:
            sending = asyncio.create_task(one.send_many(jobs(30)))
            gone: list[str] = []
            while len(gone) < 28:
                await until(lambda: number(target, "XLEN", STREAM) == 2, "the backlog is full")
                assert not sending.done()
                gone += ids(target)[:1]
                target.ask("XDEL", STREAM, gone[-1])
            outcomes = await sending
        assert [outcome.entry for outcome in outcomes if isinstance(outcome, Sent)] == [*gone, *ids(target)]

    run_async(scenario())


def test_waiting_sends_share_the_room(target: Target) -> None:
    """Waiting sends never exceed the limit, and each is sent in the end."""

    async def scenario() -> None:
        spec = pipeline(backlog=WAITS)
        async with producer(target, spec) as one, producer(target, spec) as two:
            sends = [asyncio.create_task(each.send({"job": "a", "n": n})) for each in (one, two) for n in range(10)]
            gone = 0
            while not all(send.done() for send in sends):
                waiting = ids(target)
                assert len(waiting) <= 2
                if waiting:
                    gone += number(target, "XDEL", STREAM, waiting[0])
                await asyncio.sleep(0.005)
        assert gone + number(target, "XLEN", STREAM) == 20

    run_async(scenario())


def test_a_send_waits_no_longer_than_its_timeout(target: Target) -> None:
    """It then fails with `BacklogFull`, and the message is not sent later."""

    async def scenario() -> None:
        async with producer(target, pipeline(backlog=WAITS)) as one:
            outcomes = await one.send_many(jobs(4), timeout=0.2)
            assert [type(outcome) for outcome in outcomes] == [Sent, Sent, Failed, Failed]
            with pytest.raises(BacklogFull):
                await one.send({"job": "a"}, timeout="100ms")
            target.ask("DEL", STREAM)
            sent = await one.send({"job": "b", "n": 9})
            assert isinstance(sent, Sent)
            assert ids(target) == [sent.entry]

    run_async(scenario())


def test_each_send_has_its_own_timeout(target: Target) -> None:
    """A send keeps waiting when a later one with a shorter timeout gives up."""

    async def scenario() -> None:
        async with producer(target, pipeline(backlog=WAITS)) as one:
            await one.send_many(jobs(2))
            patient = asyncio.create_task(one.send({"job": "patient", "n": 7}))
            with pytest.raises(BacklogFull):
                await one.send({"job": "hasty", "n": 8}, timeout=0.1)
            assert not patient.done()
            target.ask("DEL", STREAM)
            await patient
        assert numbers(target) == [7]

    run_async(scenario())


# `drop-oldest`


def test_the_oldest_unread_messages_are_dropped(target: Target) -> None:
    """Only as many as needed are dropped, and the sender learns the number."""

    async def scenario() -> None:
        async with producer(target, pipeline(backlog={"limit": 3, **DROPS})) as one:
            outcomes = await one.send_many(jobs(5))
        assert [outcome.dropped for outcome in outcomes if isinstance(outcome, Sent)] == [0, 0, 0, 1, 1]
        assert numbers(target) == [2, 3, 4]

    run_async(scenario())


@pytest.mark.parametrize("groups", [("crew",), ("crew", "others"), ("others", "crew")])
def test_delivered_messages_are_never_dropped(target: Target, groups: tuple[str, ...]) -> None:
    """Pending or done: of two groups, the one that has read further counts."""

    async def scenario() -> None:
        spec = pipeline(backlog={"limit": 5, **DROPS})
        async with producer(target, spec) as one, with_group(target, spec):
            target.ask("XGROUP", "CREATE", STREAM, "others", "0")
            await one.send_many(jobs(5))
            delivered = {group: read(target, 2 * (place + 1), group) for place, group in enumerate(groups)}
            kept = delivered[groups[-1]]
            target.ask("XACK", STREAM, groups[-1], kept[0])
            outcomes = await one.send_many([{"job": "x", "n": n} for n in range(5, 12)])
            assert ids(target)[: len(kept)] == kept
            assert number(target, "XLEN", STREAM) == 5
            assert all(isinstance(outcome, Sent) for outcome in outcomes)
            assert numbers(target)[len(kept) :] == list(range(12))[-(5 - len(kept)) :]
            for group in groups:
                assert set(pending(target, group)) <= set(ids(target))

    run_async(scenario())


@pytest.mark.parametrize("further", ["crew", "others"])
def test_ids_of_one_millisecond_compare_as_numbers(target: Target, further: str) -> None:
    """1-11 is later than 1-9."""

    async def scenario() -> None:
        spec = pipeline(backlog={"limit": 12, **DROPS})
        async with producer(target, spec) as one, with_group(target, spec):
            target.ask("XGROUP", "CREATE", STREAM, "others", "0")
            for n in range(1, 13):
                target.ask("XADD", STREAM, f"1-{n}", "data", "{}")
            for group in ("crew", "others"):
                read(target, 11 if group == further else 9, group)
            sent = await one.send({"job": "a"})
            assert isinstance(sent, Sent)
            assert ids(target) == [*(f"1-{n}" for n in range(1, 12)), sent.entry]

    run_async(scenario())


def test_a_backlog_without_unread_messages_refuses(target: Target) -> None:
    """If all messages are delivered, none is dropped, and the send fails with `BacklogFull`."""

    async def scenario() -> None:
        spec = pipeline(backlog={"limit": 3, **DROPS})
        async with producer(target, spec) as one, with_group(target, spec):
            await one.send_many(jobs(3))
            delivered = read(target, 3)
            with pytest.raises(BacklogFull):
                await one.send({"job": "a"})
            assert ids(target) == delivered

    run_async(scenario())


def test_a_group_that_is_set_back_keeps_its_pending_messages(target: Target) -> None:
    """After `XGROUP SETID`, messages that run now do not count as unread."""

    async def scenario() -> None:
        spec = pipeline(backlog={"limit": 3, **DROPS})
        async with producer(target, spec) as one, with_group(target, spec):
            await one.send_many(jobs(3))
            delivered = read(target, 2)
            target.ask("XGROUP", "SETID", STREAM, "crew", "0")
            await one.send_many(jobs(4))
            assert ids(target)[:2] == delivered

    run_async(scenario())


def test_nothing_is_dropped_without_a_group(target: Target) -> None:
    """Without the group, any message may be running, so the send is refused."""

    async def scenario() -> None:
        spec = pipeline(backlog={"limit": 3, **DROPS})
        async with producer(target, spec) as one, with_group(target, spec):
            await one.send_many(jobs(3))
            target.ask("XGROUP", "DESTROY", STREAM, "crew")
            before = ids(target)
            with pytest.raises(BacklogFull):
                await one.send({"job": "a"})
            assert ids(target) == before

    run_async(scenario())


def test_delayed_messages_are_not_dropped(target: Target) -> None:
    """They take room and keep it."""

    async def scenario() -> None:
        spec = pipeline(backlog={"limit": 3, **DROPS})
        async with producer(target, spec) as one:
            await one.send_many(jobs(3), delay="1h")
            with pytest.raises(BacklogFull):
                await one.send({"job": "a"})
        assert number(target, "ZCARD", keys_of(spec).delayed) == 3

    run_async(scenario())


def test_a_backlog_above_a_lowered_limit_shrinks_in_steps(target: Target) -> None:
    """Each send drops a few messages, until the limit is reached."""

    async def scenario() -> None:
        async with producer(target, pipeline(backlog={"limit": 1000, **DROPS})) as one:
            await one.send_many(jobs(500))
        async with producer(target, pipeline(backlog={"limit": 10, **DROPS})) as one:
            first = await one.send({"job": "a"})
            assert isinstance(first, Sent)
            assert first.dropped == 10
            await one.send_many(jobs(100))
        assert number(target, "XLEN", STREAM) == 10

    run_async(scenario())


def test_the_limit_of_a_lossy_stream_is_exact_too(target: Target) -> None:
    """Every message is either in the stream or counted as dropped once."""
    outcomes = sent_by_many(target, pipeline(backlog={"limit": 40, **DROPS}), 50)
    assert number(target, "XLEN", STREAM) == 40
    assert sum(outcome.dropped for outcome in outcomes if isinstance(outcome, Sent)) == 300 - 40
