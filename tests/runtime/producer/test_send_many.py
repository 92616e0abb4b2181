"""`send_many` keeps the order and gives each message its own outcome."""

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from event_loop import run_async, until
from sending import STREAM, entries, jobs, number, pipeline
from targets import Target

from penstock.producer import BacklogFull, Failed, NotAsDescribed, Producer, Sent
from penstock_spec.kinds.pipeline.spec import Pipeline

pytestmark = pytest.mark.wire


def producer(target: Target, spec: Pipeline) -> Producer:
    return Producer(spec, target.redis, credentials=target.credentials)


def test_outcomes_and_entries_keep_the_order(target: Target) -> None:
    """Outcomes, entries and ids follow the order of ten thousand bodies."""

    async def scenario() -> None:
        async with producer(target, pipeline()) as one:
            outcomes = await one.send_many(jobs(10_000))
        sent = [outcome for outcome in outcomes if isinstance(outcome, Sent)]
        stream_entries = entries(target)
        assert [entry.id for entry in stream_entries] == [one.entry for one in sent]
        assert [json.loads(entry.fields["data"])["n"] for entry in stream_entries] == list(range(10_000))
        assert [entry.fields["penstock-id"] for entry in stream_entries] == sorted(one.id for one in sent)

    run_async(scenario())


def calls(target: Target) -> int:
    """Return how many script calls Redis has received."""
    stats = "".join(str(server.ask("INFO", "commandstats")) for server in target.masters())
    return sum(map(int, re.findall(r"cmdstat_evalsha:calls=(\d+)", stats)))


def test_large_messages_travel_in_small_batches(target: Target) -> None:
    """A call carries at most half a megabyte, and there are no more calls than that needs."""

    async def scenario() -> None:
        async with producer(target, pipeline()) as one:
            await one.send({"job": "first"})
            before = calls(target)
            await one.send_many({"job": "x" * 200_000, "n": n} for n in range(20))
        assert calls(target) - before == 10
        assert [json.loads(entry.fields["data"]).get("n") for entry in entries(target)] == [None, *range(20)]

    run_async(scenario())


def test_an_empty_list_sends_nothing(target: Target) -> None:
    """There are no outcomes and no stream."""

    async def scenario() -> None:
        async with producer(target, pipeline()) as one:
            assert await one.send_many([]) == []
        assert target.ask("EXISTS", STREAM) == 0

    run_async(scenario())


def test_invalid_messages_never_reach_redis(target: Target) -> None:
    """Each gets its own error."""

    async def scenario() -> None:
        async with producer(target, pipeline()) as one:
            outcomes = await one.send_many([{"n": 1}, "text", None, object()])
        assert [type(one.error) for one in outcomes if isinstance(one, Failed)] == [NotAsDescribed] * 4
        assert target.ask("EXISTS", STREAM) == 0

    run_async(scenario())


def test_bodies_are_read_as_they_are_sent(target: Target) -> None:
    """From an endless iterator, only a few bodies are read ahead; the call can be cancelled."""

    async def scenario() -> None:
        bodies_read = 0

        def endless() -> Iterator[dict[str, Any]]:
            nonlocal bodies_read
            while True:
                bodies_read += 1
                yield {"job": "a"}

        spec = pipeline(backlog={"limit": 1000, "when_full": "wait"})
        async with producer(target, spec) as one:
            sending = asyncio.create_task(one.send_many(endless()))
            await until(lambda: target.ask("XLEN", STREAM) == 1000, "the backlog is full")
            assert bodies_read < 2000
            sending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sending
        assert number(target, "XLEN", STREAM) == 1000

    run_async(scenario())


def test_an_error_of_the_iterator_fails_the_call(target: Target) -> None:
    """Earlier bodies are sent or not; none keeps waiting, and the producer stays usable."""

    async def scenario() -> None:
        def fails() -> Iterator[dict[str, Any]]:
            yield from jobs(150)
            raise LookupError("no more")

        async with producer(target, pipeline()) as one:
            with pytest.raises(LookupError):
                await one.send_many(fails())
            assert isinstance(await one.send({"job": "a"}), Sent)
        assert 1 <= number(target, "XLEN", STREAM) <= 151

    run_async(scenario())


def test_a_full_backlog_refuses_the_rest(target: Target) -> None:
    """The first messages are sent; the rest fail with `BacklogFull`."""

    async def scenario() -> None:
        async with producer(target, pipeline(backlog={"limit": 250})) as one:
            outcomes = await one.send_many(jobs(1000))
        assert all(isinstance(outcome, Sent) for outcome in outcomes[:250])
        errors = [outcome.error for outcome in outcomes[250:] if isinstance(outcome, Failed)]
        assert [type(error) for error in errors] == [BacklogFull] * 750
        assert [json.loads(entry.fields["data"])["n"] for entry in entries(target)] == list(range(250))

    run_async(scenario())


def test_other_tasks_run_during_a_large_call(target: Target) -> None:
    """The event loop keeps running while thousands of bodies are encoded, even if each fails at once."""

    async def scenario() -> None:
        rounds = 0

        async def count() -> None:
            nonlocal rounds
            while True:
                rounds += 1
                await asyncio.sleep(0)

        async with producer(target, pipeline()) as one:
            counting = asyncio.create_task(count())
            await one.send_many(jobs(5000))
            assert rounds >= 50
            await one.close()
            rounds = 0
            assert not any(isinstance(outcome, Sent) for outcome in await one.send_many(jobs(5000)))
            assert rounds >= 50
            counting.cancel()

    run_async(scenario())
