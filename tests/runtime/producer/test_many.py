"""Many messages in one call: in order, and each with an outcome of its own."""

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


def test_ten_thousand_in_order(target: Target) -> None:
    """Outcomes and entries stand in the order of the bodies; ids grow with them."""

    async def scenario() -> None:
        async with producer(target, pipeline()) as one:
            outcomes = await one.send_many(jobs(10_000))
        sent = [outcome for outcome in outcomes if isinstance(outcome, Sent)]
        there = entries(target)
        assert [entry.id for entry in there] == [one.entry for one in sent]
        assert [json.loads(entry.fields["data"])["n"] for entry in there] == list(range(10_000))
        assert [entry.fields["penstock-id"] for entry in there] == sorted(one.id for one in sent)

    run_async(scenario())


def calls(target: Target) -> int:
    """How many calls of scripts Redis has seen."""
    said = "".join(str(server.ask("INFO", "commandstats")) for server in target.masters())
    return sum(map(int, re.findall(r"cmdstat_evalsha:calls=(\d+)", said)))


def test_large_ones_travel_in_small_company(target: Target) -> None:
    """No call has more than half a megabyte of them, and no more calls are made than that takes."""

    async def scenario() -> None:
        async with producer(target, pipeline()) as one:
            await one.send({"job": "first"})
            before = calls(target)
            await one.send_many({"job": "x" * 200_000, "n": n} for n in range(20))
        assert calls(target) - before == 10
        assert [json.loads(entry.fields["data"]).get("n") for entry in entries(target)] == [None, *range(20)]

    run_async(scenario())


def test_none_at_all(target: Target) -> None:
    """Nothing is sent, and nothing is told."""

    async def scenario() -> None:
        async with producer(target, pipeline()) as one:
            assert await one.send_many([]) == []
        assert target.ask("EXISTS", STREAM) == 0

    run_async(scenario())


def test_none_that_could_be_sent(target: Target) -> None:
    """Each is told why; Redis hears of none."""

    async def scenario() -> None:
        async with producer(target, pipeline()) as one:
            outcomes = await one.send_many([{"n": 1}, "text", None, object()])
        assert [type(one.error) for one in outcomes if isinstance(one, Failed)] == [NotAsDescribed] * 4
        assert target.ask("EXISTS", STREAM) == 0

    run_async(scenario())


def test_bodies_are_taken_as_they_are_sent(target: Target) -> None:
    """From an endless source only so much is taken ahead as travels; and it can be stopped."""

    async def scenario() -> None:
        taken = 0

        def endless() -> Iterator[dict[str, Any]]:
            nonlocal taken
            while True:
                taken += 1
                yield {"job": "a"}

        spec = pipeline(backlog={"limit": 1000, "when_full": "wait"})
        async with producer(target, spec) as one:
            sending = asyncio.create_task(one.send_many(endless()))
            await until(lambda: target.ask("XLEN", STREAM) == 1000, "the backlog is full")
            assert taken < 2000
            sending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sending
        assert number(target, "XLEN", STREAM) == 1000

    run_async(scenario())


def test_a_source_that_fails_fails_the_call(target: Target) -> None:
    """What it gave before is sent or not; nothing is left waiting, and the producer goes on."""

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


def test_those_that_find_no_room_are_told(target: Target) -> None:
    """The first ones are sent; the rest is told that the backlog is full."""

    async def scenario() -> None:
        async with producer(target, pipeline(backlog={"limit": 250})) as one:
            outcomes = await one.send_many(jobs(1000))
        assert all(isinstance(outcome, Sent) for outcome in outcomes[:250])
        errors = [outcome.error for outcome in outcomes[250:] if isinstance(outcome, Failed)]
        assert [type(error) for error in errors] == [BacklogFull] * 750
        assert [json.loads(entry.fields["data"])["n"] for entry in entries(target)] == list(range(250))

    run_async(scenario())


def test_other_tasks_have_their_turn(target: Target) -> None:
    """While thousands are encoded, the loop goes round; also where each of them fails at once."""

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
