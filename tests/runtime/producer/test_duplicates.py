"""Within the window, a message is sent once, however often a producer sends it."""

import asyncio
import threading
from typing import Any

import pytest
from event_loop import run_async, until
from sending import DEDUP, STREAM, entries, jobs, keys_of, number, pipeline, until_entered, with_group
from targets import Target

from penstock.producer import BacklogFull, Duplicate, Failed, Producer, Sent
from penstock_spec.kinds.pipeline.spec import Pipeline

pytestmark = pytest.mark.wire

SHORT = {"by": "job", "window": "3s"}
LONG_KEY = "x" * 5000


def producer(target: Target, spec: Pipeline) -> Producer:
    return Producer(spec, target.redis, credentials=target.credentials)


def test_a_duplicate_is_reported_and_not_sent(target: Target) -> None:
    """It carries the id of the first message, whose entry holds the deduplication key."""

    async def scenario() -> None:
        async with producer(target, pipeline(message={"dedup": DEDUP})) as one:
            first = await one.send({"job": "a", "n": 1})
            again = await one.send({"job": "a", "n": 2})
            other = await one.send({"job": "b", "n": 1})
        assert isinstance(first, Sent)
        assert again == Duplicate(first.id, "a")
        assert isinstance(other, Sent)
        assert [entry.fields["penstock-key"] for entry in entries(target)] == ["a", "b"]

    run_async(scenario())


def test_after_the_window_the_same_key_is_sent_again(target: Target) -> None:
    """The window starts at the send."""

    async def scenario() -> None:
        spec = pipeline(message={"dedup": SHORT})
        async with producer(target, spec) as one:
            await one.send({"job": "a"})
            remembered = number(target, "PTTL", keys_of(spec).dedup + "a")
            assert 0 < remembered <= 3000
            await until(lambda: target.ask("EXISTS", keys_of(spec).dedup + "a") == 0, "the window is over")
            assert isinstance(await one.send({"job": "a"}), Sent)
        assert number(target, "XLEN", STREAM) == 2

    run_async(scenario())


def test_the_window_of_a_delayed_message_starts_when_it_is_due(target: Target) -> None:
    """Otherwise, a delay longer than the window would admit a duplicate while the first message waits."""

    async def scenario() -> None:
        spec = pipeline(message={"dedup": SHORT})
        async with producer(target, spec) as one:
            first = await one.send({"job": "a"}, delay="1h")
            assert 3_600_000 < number(target, "PTTL", keys_of(spec).dedup + "a") <= 3_603_000
            assert await one.send({"job": "a"}) == Duplicate(first.id, "a")

    run_async(scenario())


def test_concurrent_producers_send_a_key_once(target: Target) -> None:
    """Of twenty threads with a connection each, one sends."""
    outcomes: list[object] = []
    spec = pipeline(message={"dedup": DEDUP})

    async def one() -> None:
        async with producer(target, spec) as mine:
            outcomes.append(await mine.send({"job": "a"}))

    threads = [threading.Thread(target=lambda: run_async(one())) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sent = [outcome for outcome in outcomes if isinstance(outcome, Sent)]
    assert len(sent) == 1
    assert outcomes.count(Duplicate(sent[0].id, "a")) == 19
    assert number(target, "XLEN", STREAM) == 1


def test_duplicates_within_one_call_are_found(target: Target) -> None:
    """Messages of one call are duplicates of each other as well."""

    async def scenario() -> None:
        bodies = [{"job": "a"}, {"job": "b"}, {"job": "a"}, {"job": "a"}]
        async with producer(target, pipeline(message={"dedup": DEDUP})) as one:
            outcomes = await one.send_many(bodies)
        first = outcomes[0]
        assert isinstance(first, Sent)
        assert outcomes[2:] == [Duplicate(first.id, "a")] * 2
        assert [entry.fields["penstock-key"] for entry in entries(target)] == ["a", "b"]

    run_async(scenario())


@pytest.mark.parametrize(
    ("body", "key"),
    [({"n": 17}, "17"), ({"n": -3}, "-3"), ({"n": "ß: \u4f60 {x}"}, "ß: \u4f60 {x}"), ({"n": 2**80}, str(2**80))],
)
def test_a_key_is_a_text_or_a_number(target: Target, body: dict[str, Any], key: str) -> None:
    """The key is the value in the body."""

    async def scenario() -> None:
        spec = pipeline(message={"schema": {"type": "object"}, "dedup": {"by": "n", "window": "1h"}})
        async with producer(target, spec) as one:
            first = await one.send(body)
            assert await one.send(body) == Duplicate(first.id, key)
            assert target.ask("GET", keys_of(spec).dedup + key) == first.id

    run_async(scenario())


def test_the_key_can_be_an_argument(target: Target) -> None:
    """It replaces the field of the body."""

    async def scenario() -> None:
        async with producer(target, pipeline(message={"dedup": DEDUP})) as one:
            first = await one.send({"job": "a"}, key="mine")
            assert await one.send({"job": "b"}, key="mine") == Duplicate(first.id, "mine")
            assert isinstance(await one.send({"job": "a"}), Sent)

    run_async(scenario())


def test_a_long_key_is_stored_as_its_hash(target: Target) -> None:
    """Redis keeps the key for the full window, so it must be short."""

    async def scenario() -> None:
        async with producer(target, pipeline(message={"dedup": DEDUP})) as one:
            first = await one.send({"job": LONG_KEY})
            again = await one.send({"job": LONG_KEY})
            assert isinstance(again, Duplicate)
            assert again.id == first.id
            assert len(again.key) < 100
            assert isinstance(await one.send({"job": LONG_KEY + "y"}), Sent)
        assert entries(target)[0].fields["penstock-key"] == again.key

    run_async(scenario())


def test_a_refused_message_is_not_remembered(target: Target) -> None:
    """A message that a full backlog refused is no duplicate later."""

    async def scenario() -> None:
        spec = pipeline(message={"dedup": DEDUP}, backlog={"limit": 1})
        async with producer(target, spec) as one:
            await one.send({"job": "a"})
            with pytest.raises(BacklogFull):
                await one.send({"job": "b"})
            assert isinstance(await one.send({"job": "a"}), Duplicate), "a duplicate needs no room"
            target.ask("DEL", STREAM)
            assert isinstance(await one.send({"job": "b"}), Sent)

    run_async(scenario())


def test_a_delayed_message_enters_with_its_key(target: Target) -> None:
    """Burying the message can then free the key."""

    async def scenario() -> None:
        spec = pipeline(message={"dedup": DEDUP})
        async with producer(target, spec) as one, with_group(target, spec) as link:
            await one.send({"job": "a"}, delay=0.001)
            await until_entered(link, spec)
        assert entries(target)[0].fields["penstock-key"] == "a"

    run_async(scenario())


def test_a_duplicate_does_not_stop_the_others(target: Target) -> None:
    """The third is too large and the fifth a duplicate; all others are sent in order."""

    async def scenario() -> None:
        bodies: list[dict[str, Any]] = jobs(8)
        bodies[2] = {"job": "x" * 2000}
        bodies[4] = {"job": "job-1"}
        spec = pipeline(message={"dedup": DEDUP, "max_size": "1Ki"})
        async with producer(target, spec) as one:
            outcomes = await one.send_many(bodies)
        kinds = [type(outcome) for outcome in outcomes]
        assert kinds == [Sent, Sent, Failed, Sent, Duplicate, Sent, Sent, Sent]
        ids = [outcome.entry for outcome in outcomes if isinstance(outcome, Sent)]
        assert ids == [entry.id for entry in entries(target)]
        assert isinstance(outcomes[1], Sent)
        assert outcomes[4] == Duplicate(outcomes[1].id, "job-1")

    run_async(scenario())


def test_concurrent_tasks_send_a_key_once(target: Target) -> None:
    """Tasks of one producer share calls; duplicates are still found."""

    async def scenario() -> None:
        async with producer(target, pipeline(message={"dedup": DEDUP})) as one:
            outcomes = await asyncio.gather(*(one.send({"job": "a", "n": n}) for n in range(50)))
        assert sum(isinstance(outcome, Sent) for outcome in outcomes) == 1
        assert number(target, "XLEN", STREAM) == 1

    run_async(scenario())
