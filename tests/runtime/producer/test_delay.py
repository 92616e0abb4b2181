"""A delayed message enters the stream when it is due by Redis time, never earlier."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from event_loop import run_async
from sending import STREAM, entries, jobs, keys_of, number, pipeline, until_entered, with_group
from servers import Server
from targets import Target

from penstock.maintenance.promote import promote
from penstock.producer import Producer, Sent, TooLarge
from penstock.producer.due import due_of
from penstock.producer.encoder import MOST_FIELDS
from penstock.wire.credentials import Credentials
from penstock_spec.kinds.pipeline.spec import Pipeline

pytestmark = pytest.mark.wire

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def producer(target: Target, spec: Pipeline) -> Producer:
    return Producer(spec, target.redis, credentials=target.credentials)


def redis_time(target: Target | Server) -> int:
    """Return Redis time in milliseconds since 1970."""
    reply = target.ask("TIME")
    assert isinstance(reply, list)
    return int(str(reply[0])) * 1000 + int(str(reply[1])) // 1000


def test_a_delayed_message_waits_outside_the_stream(target: Target) -> None:
    """The sender learns the due time and the id."""

    async def scenario() -> None:
        spec = pipeline()
        async with producer(target, spec) as one, with_group(target, spec) as link:
            before = redis_time(target)
            sent = await one.send({"job": "a"}, delay="1h")
            assert isinstance(sent, Sent)
            assert sent.entry is None
            assert sent.due is not None
            assert before + 3_600_000 <= sent.due <= redis_time(target) + 3_600_000
            assert (await promote(link, keys_of(spec))).entered == 0
        assert entries(target) == []
        assert str(target.ask("ZSCORE", keys_of(spec).delayed, sent.id)) == str(sent.due)

    run_async(scenario())


def test_a_delayed_message_enters_when_it_is_due(target: Target) -> None:
    """Its entry equals that of a message without a delay."""

    async def scenario() -> None:
        spec = pipeline()
        async with producer(target, spec) as one, with_group(target, spec) as link:
            sent = await one.send({"job": "a", "n": 1}, delay=0.3)
            assert isinstance(sent, Sent)
            assert sent.due is not None
            promoted = await until_entered(link, spec)
            assert promoted.time >= sent.due
        (entry,) = entries(target)
        assert entry.ms >= sent.due
        assert entry.fields == {"data": '{"job":"a","n":1}', "penstock-id": sent.id, "penstock-version": "1"}
        assert number(target, "HLEN", keys_of(spec).bodies) == 0

    run_async(scenario())


def test_delayed_messages_enter_in_order_of_due_time(target: Target) -> None:
    """The order of the sends does not matter."""

    async def scenario() -> None:
        spec = pipeline()
        async with producer(target, spec) as one, with_group(target, spec) as link:
            late = await one.send({"job": "late"}, delay=0.2)
            soon = await one.send_many(jobs(3), delay="100ms")
            while len(entries(target)) < 4:
                await until_entered(link, spec)
        assert [entry.fields["penstock-id"] for entry in entries(target)][3] == late.id
        assert {entry.fields["penstock-id"] for entry in entries(target)[:3]} == {
            sent.id for sent in soon if isinstance(sent, Sent)
        }
        for entry in entries(target)[:3]:
            assert entry.ms >= min(sent.due or 0 for sent in soon if isinstance(sent, Sent))

    run_async(scenario())


def test_a_delayed_message_survives_a_restart_of_redis(server: Server) -> None:
    """After Redis restarts, the message still enters when it is due."""

    async def scenario() -> None:
        spec = pipeline()
        async with Producer(spec, server.model(), credentials=Credentials()) as one:
            sent = await one.send({"job": "a"}, delay=0.5)
            assert isinstance(sent, Sent)
            server.restart()
            link = server.link()
            server.ask("XGROUP", "CREATE", STREAM, "crew", "0", "MKSTREAM")
            promoted = await until_entered(link, spec)
            await link.close()
            assert sent.due is not None
            assert promoted.time >= sent.due
            (entry,) = entries(server)
            assert entry.fields["penstock-id"] == sent.id
            assert isinstance(await one.send({"job": "b"}), Sent), "the producer finds the server again"

    run_async(scenario())


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=-7))])
def test_a_time_is_compared_with_redis_time(target: Target, zone: timezone) -> None:
    """The message is due at that moment, whatever the time zone of the argument."""

    async def scenario() -> None:
        async with producer(target, pipeline()) as one:
            moment = redis_time(target) + 60_000
            sent = await one.send({"job": "a"}, at=datetime.fromtimestamp(moment / 1000, zone))
        assert isinstance(sent, Sent)
        assert sent.due == moment

    run_async(scenario())


@pytest.mark.parametrize(
    "given",
    [
        {"delay": 0},
        {"delay": "0s"},
        {"delay": timedelta()},
        {"at": datetime(2020, 1, 1, tzinfo=UTC)},
        {"at": datetime(1969, 1, 1, tzinfo=UTC)},
    ],
)
def test_a_time_in_the_past_means_now(target: Target, given: dict[str, Any]) -> None:
    """The message is in the stream when the send returns."""

    async def scenario() -> None:
        async with producer(target, pipeline()) as one:
            sent = await one.send({"job": "a"}, **given)
        assert isinstance(sent, Sent)
        assert sent.due is None
        assert [entry.id for entry in entries(target)] == [sent.entry]

    run_async(scenario())


@pytest.mark.parametrize(
    ("delay", "at", "due"),
    [
        (None, None, "0"),
        (1.1, None, "1100"),
        (0.0001, None, "1"),
        ("1ms", None, "1"),
        (timedelta(microseconds=1500), None, "2"),
        (None, datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), "@1000"),
        (None, datetime(2026, 3, 1, 12, 0, 0, 734_000, tzinfo=UTC), "@1772366400734"),
        (None, datetime(2026, 3, 1, 12, 0, 0, 734_001, tzinfo=UTC), "@1772366400735"),
        (None, datetime(2026, 3, 1, 5, 0, 0, 734_000, tzinfo=timezone(timedelta(hours=-7))), "@1772366400734"),
    ],
)
def test_due_times_round_up_to_milliseconds(delay: float | str | None, at: datetime | None, due: str) -> None:
    """No message is due too early; full milliseconds do not change."""
    assert due_of(delay, at) == due


@pytest.mark.parametrize("delay", [90, 90.0, "90s", "1m30s", timedelta(seconds=90)])
def test_a_delay_is_seconds_a_text_or_a_timedelta(target: Target, delay: float | str | timedelta) -> None:
    """Texts are written as in a spec."""

    async def scenario() -> None:
        async with producer(target, pipeline()) as one:
            before = redis_time(target)
            sent = await one.send({"job": "a"}, delay=delay)
        assert isinstance(sent, Sent)
        assert before + 90_000 <= (sent.due or 0) <= redis_time(target) + 90_000

    run_async(scenario())


def test_a_message_with_the_most_fields_keeps_them_all(target: Target) -> None:
    """All fields, with those of Penstock, pass the script that delays and the script that promotes.

    One more field is refused with an error that names the limit.
    """

    async def scenario() -> None:
        dedup = {"by": "field-0", "window": "1h"}
        spec = pipeline(message={"encoding": "fields", "schema": {"type": "object"}, "dedup": dedup})
        body = {f"field-{n}": str(n) for n in range(MOST_FIELDS)}
        async with producer(target, spec) as one, with_group(target, spec) as link:
            for key, delay in (("now", None), ("later", 0.001)):
                sent = await one.send(body, key=key, delay=delay, trace={"traceparent": PARENT, "tracestate": "a=b"})
                if delay:
                    await until_entered(link, spec)
                penstock_fields = {
                    "penstock-id": sent.id,
                    "penstock-version": "1",
                    "penstock-key": key,
                    "penstock-traceparent": PARENT,
                    "penstock-tracestate": "a=b",
                }
                assert entries(target)[-1].fields == body | penstock_fields
            with pytest.raises(TooLarge, match="the body has 991 fields, but an entry can have 990; send it as JSON"):
                await one.send(body | {"one-more": ""}, delay=0.001)
        assert len(entries(target)) == 2

    run_async(scenario())
