"""What can be seen of sends: metrics, traces, and lines of the log."""

import asyncio
import logging
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from promises import keep, until
from sending import DEDUP, STREAM, entries, jobs, pipeline
from servers import Server
from targets import Target

from penstock.observe.board import Board
from penstock.observe.metrics import Metrics
from penstock.observe.traces import CARRIED, Trace
from penstock.producer import BacklogFull, BreakerOpen, NotAsDescribed, Producer, RedisAbsent, Sent, Unknown
from penstock.wire.credentials import Credentials
from penstock_spec.kinds.pipeline.metrics.sending import SENT, TOPIC
from penstock_spec.kinds.pipeline.spec import Pipeline

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TRACED = Path(__file__).parent / "programs" / "traced.py"


class Counted:
    """A board of the test's own."""

    def __init__(self) -> None:
        self.board = Board()
        self.metrics = Metrics.of_spec("producer", pipeline(), self.board)

    def shown(self) -> dict[str, float]:
        """Values by name, and by outcome where there are several; without what is 0."""
        values = {}
        for family in self.board.collect():
            for sample in family.samples:
                if sample.value and not sample.name.endswith(("_bucket", "_sum")):
                    outcome = sample.labels.get("outcome")
                    values[f"{sample.name}{f' {outcome}' if outcome else ''}"] = sample.value
        return values


def producer(target: Target, counted: Counted, spec: Pipeline | None = None) -> Producer:
    return Producer(spec or pipeline(), target.redis, credentials=target.credentials, metrics=counted.metrics)


def test_each_message_is_counted_by_what_became_of_it(target: Target) -> None:
    """Once, and timed if it was sent at all."""
    counted = Counted()

    async def promise() -> None:
        spec = pipeline(message={"dedup": DEDUP}, backlog={"limit": 4})
        async with producer(target, counted, spec) as one:
            await one.send({"job": "a"})
            await one.send({"job": "a"})
            await one.send({"job": "b"}, delay=60)
            with pytest.raises(NotAsDescribed):
                await one.send({"n": 1})
            await one.send_many([{"job": "c"}, {"job": "c"}, {}, {"job": "d"}, {"job": "e"}, {"job": "f"}])
        assert counted.shown() == {
            "penstock_sent_total new": 3,
            "penstock_sent_total delayed": 1,
            "penstock_sent_total duplicate": 2,
            "penstock_sent_total invalid": 2,
            "penstock_sent_total rejected": 2,
            "penstock_send_seconds_count": 8,
        }

    keep(promise())


def test_what_was_dropped_is_counted(target: Target) -> None:
    """By whoever dropped it."""
    counted = Counted()

    async def promise() -> None:
        spec = pipeline(backlog={"limit": 3, "when_full": "drop-oldest", "lossy": True})
        async with producer(target, counted, spec) as one:
            await one.send_many(jobs(10))
        assert counted.shown()["penstock_dropped_total"] == 7

    keep(promise())


def test_who_waits_for_room_is_counted_while_waiting(target: Target) -> None:
    """And not after."""
    counted = Counted()

    async def promise() -> None:
        spec = pipeline(backlog={"limit": 1, "when_full": "wait"})
        async with producer(target, counted, spec) as one:
            sends = [asyncio.create_task(one.send(body)) for body in jobs(4)]
            await until(lambda: counted.shown().get("penstock_send_waiting") == 3, "three wait")
            sends[3].cancel()
            for _ in range(2):
                target.ask("DEL", STREAM)
                await until(lambda: target.ask("EXISTS", STREAM) == 1, "one more is in")
            await asyncio.wait(sends)
        assert "penstock_send_waiting" not in counted.shown()

    keep(promise())


def test_every_metric_of_the_contract_is_there_from_the_start() -> None:
    """An alert sees the first step of each."""
    counted = Counted()
    names = {family.name for family in counted.board.collect()}
    assert {metric.name.removesuffix("_total") for metric in TOPIC.metrics} <= names
    outcomes = {
        sample.labels["outcome"]
        for family in counted.board.collect()
        for sample in family.samples
        if sample.name == SENT.name
    }
    assert {
        "new",
        "delayed",
        "duplicate",
        "rejected",
        "invalid",
        "refused",
        "absent",
        "withheld",
        "unknown",
    } <= outcomes


def test_trouble_is_told_once_and_so_is_its_end(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """Not with every message, and with nothing of one."""
    caplog.set_level(logging.INFO, "penstock.producer")

    async def promise() -> None:
        now = 0.0
        one = Producer(pipeline(), server.model(), credentials=Credentials(), clock=lambda: now)
        async with one:
            await one.send({"job": "secret"})
            server.kill()
            for _ in range(5):
                with pytest.raises((RedisAbsent, Unknown, BreakerOpen)):
                    await one.send({"job": "secret"})
            server.start()
            now = 100.0
            await one.send({"job": "secret"})

    keep(promise())
    said = [record.getMessage() for record in caplog.records if record.name == "penstock.producer"]
    assert said == ["Redis takes no messages", "sends fail at once for a while", "Redis takes messages again"]
    assert "secret" not in "".join(str(vars(record)) for record in caplog.records)


# Traces


def fields(target: Target) -> dict[str, str]:
    (entry,) = entries(target)
    return {name: value for name, value in entry.fields.items() if "trace" in name}


@pytest.mark.parametrize(
    ("given", "travels"),
    [
        ({"traceparent": PARENT}, {"penstock-traceparent": PARENT}),
        (
            {"traceparent": PARENT, "tracestate": "vendor=1"},
            {"penstock-traceparent": PARENT, "penstock-tracestate": "vendor=1"},
        ),
        ({"traceparent": "00-nonsense-01", "tracestate": "vendor=1"}, {}),
        ({"traceparent": "\udc80"}, {}),
        ({"host": "example.org"}, {}),
        ({}, {}),
    ],
)
def test_the_trace_of_a_request_travels(target: Target, given: Mapping[str, str], travels: dict[str, str]) -> None:
    """Without OpenTelemetry it is handed over by whoever has it; what is none is left out, and stops no send."""

    async def promise() -> None:
        async with producer(target, Counted()) as one:
            assert isinstance(await one.send({"job": "a"}, trace=given), Sent)

    keep(promise())
    assert fields(target) == travels


def test_what_came_with_a_message_goes_on_with_those_its_handler_sends(target: Target) -> None:
    """The handler need not know of it."""

    async def promise() -> None:
        async with producer(target, Counted()) as one:
            token = CARRIED.set(Trace("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "01"))
            await one.send_many([{"job": "a"}])
            CARRIED.reset(token)

    keep(promise())
    assert fields(target) == {"penstock-traceparent": PARENT}


def test_with_opentelemetry_a_send_is_a_span(server: Server) -> None:
    """A message carries its send's span; a batch shares one; a failure is on it, without the message."""
    done = subprocess.run(
        [sys.executable, TRACED, server.address], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_full_backlog_is_counted_as_rejected_by_a_deadline_too(target: Target) -> None:
    """That its time was over is not the reason."""
    counted = Counted()

    async def promise() -> None:
        async with producer(target, counted, pipeline(backlog={"limit": 1, "when_full": "wait"})) as one:
            await one.send({"job": "a"})
            with pytest.raises(BacklogFull):
                await one.send({"job": "b"}, timeout=0.05)

    keep(promise())
    assert counted.shown()["penstock_sent_total rejected"] == 1
