"""Producers expose metrics, traces and log events about their sends."""

import asyncio
import logging
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from event_loop import run_async, until
from logged import events
from patience import PATIENCE
from prometheus_client import CollectorRegistry
from sending import DEDUP, STREAM, entries, jobs, pipeline
from servers import Server
from targets import Target

import penstock
from penstock import __version__
from penstock.isolation.spawner import Spawner
from penstock.observe.collector import Collector
from penstock.observe.events import Event
from penstock.observe.metrics import Metrics
from penstock.observe.traces import CARRIED, Trace
from penstock.producer import (
    BacklogFull,
    BreakerOpen,
    Failed,
    NotAsDescribed,
    Producer,
    RedisAbsent,
    RedisRefused,
    Sent,
    Unknown,
)
from penstock.wire.credentials import Credentials
from penstock.worker.metrics import WorkerMetrics
from penstock_spec.kinds.pipeline.metrics.sending import SENT, TOPIC
from penstock_spec.kinds.pipeline.spec import Pipeline

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
SEND_METRICS = tuple(metric.name for metric in TOPIC.metrics)
TRACED = Path(__file__).parent / "programs" / "traced.py"


class ProducerMetrics:
    """Producer metrics in a registry of their own."""

    def __init__(self) -> None:
        self.collector = Collector()
        self.metrics = Metrics.of_spec("producer", pipeline(), self.collector)

    def all(self) -> dict[str, float]:
        """Return values by name, and by outcome or kind if the metric has that label; omit zeros."""
        values = {}
        for family in self.collector.collect():
            for sample in family.samples:
                if sample.value and not sample.name.endswith(("_bucket", "_sum")):
                    label = sample.labels.get("outcome") or sample.labels.get("kind")
                    values[f"{sample.name}{f' {label}' if label else ''}"] = sample.value
        return values

    def of_sends(self) -> dict[str, float]:
        """Return the metrics of sends, without those of Redis."""
        return {name: value for name, value in self.all().items() if name.startswith(SEND_METRICS)}

    def of_redis(self) -> dict[str, float]:
        """Return the metrics of Redis, without the duration of its calls."""
        return {name: value for name, value in self.all().items() if "_redis_" in name and "seconds" not in name}


def producer(target: Target, metrics: ProducerMetrics, spec: Pipeline | None = None) -> Producer:
    return Producer(spec or pipeline(), target.redis, credentials=target.credentials, metrics=metrics.metrics)


def test_each_message_is_counted_by_its_outcome(target: Target) -> None:
    """It is counted once, and timed unless it is invalid."""
    metrics = ProducerMetrics()

    async def scenario() -> None:
        spec = pipeline(message={"dedup": DEDUP}, backlog={"limit": 4})
        async with producer(target, metrics, spec) as one:
            await one.send({"job": "a"})
            await one.send({"job": "a"})
            await one.send({"job": "b"}, delay=60)
            with pytest.raises(NotAsDescribed):
                await one.send({"n": 1})
            await one.send_many([{"job": "c"}, {"job": "c"}, {}, {"job": "d"}, {"job": "e"}, {"job": "f"}])
        assert metrics.of_sends() == {
            "penstock_sent_total new": 3,
            "penstock_sent_total delayed": 1,
            "penstock_sent_total duplicate": 2,
            "penstock_sent_total invalid": 2,
            "penstock_sent_total rejected": 2,
            "penstock_send_seconds_count": 8,
        }

    run_async(scenario())


def test_dropped_messages_are_counted(target: Target) -> None:
    """The producer that drops them counts them."""
    metrics = ProducerMetrics()

    async def scenario() -> None:
        spec = pipeline(backlog={"limit": 3, "when_full": "drop-oldest", "lossy": True})
        async with producer(target, metrics, spec) as one:
            await one.send_many(jobs(10))
        assert metrics.of_sends()["penstock_dropped_total"] == 7

    run_async(scenario())


def test_sends_that_wait_for_room_are_counted(target: Target) -> None:
    """The gauge falls when they end or are cancelled."""
    metrics = ProducerMetrics()

    async def scenario() -> None:
        spec = pipeline(backlog={"limit": 1, "when_full": "wait"})
        async with producer(target, metrics, spec) as one:
            sends = [asyncio.create_task(one.send(body)) for body in jobs(4)]
            await until(lambda: metrics.of_sends().get("penstock_send_waiting") == 3, "three sends wait")
            sends[3].cancel()
            for _ in range(2):
                target.ask("DEL", STREAM)
                await until(lambda: target.ask("EXISTS", STREAM) == 1, "another message is in the stream")
            await asyncio.wait(sends)
        assert "penstock_send_waiting" not in metrics.of_sends()

    run_async(scenario())


def test_a_send_that_waits_for_redis_does_not_count_as_waiting(server: Server) -> None:
    """A send waits for room, then Redis goes away, and the gauge falls."""
    metrics = ProducerMetrics()

    async def scenario() -> None:
        spec = pipeline(
            message={"dedup": DEDUP},  # with a key, it retries even after a lost reply
            backlog={"limit": 1, "when_full": "wait"},
            send={"attempts": 100, "backoff": {"first": "1h", "factor": 1}},
        )
        async with Producer(spec, server.model(), credentials=Credentials(), metrics=metrics.metrics) as one:
            await one.send({"job": "a"})
            waits = asyncio.create_task(one.send({"job": "b"}))
            await until(lambda: metrics.of_sends().get("penstock_send_waiting") == 1, "the send waits for room")
            server.kill()
            await until(lambda: "penstock_send_waiting" not in metrics.of_sends(), "the send waits for Redis")
            assert not waits.done()
            waits.cancel()

    run_async(scenario())


def test_retried_messages_are_counted(server: Server) -> None:
    """Each message of a retried call counts; a call that ends before its retry does not."""
    metrics = ProducerMetrics()

    def make(**send: object) -> Producer:
        spec = pipeline(send=send)
        return Producer(spec, server.model(), credentials=Credentials(), metrics=metrics.metrics)

    async def scenario() -> None:
        server.ask("CONFIG", "SET", "maxmemory", 1)
        async with make(attempts=2) as one:
            assert all(isinstance(outcome, Failed) for outcome in await one.send_many(jobs(3)))
        assert metrics.of_sends()["penstock_send_retries_total"] == 3
        async with make(attempts=2, backoff={"first": "1h", "factor": 1}) as other:
            with pytest.raises(RedisRefused):
                await other.send({"job": "a"}, timeout=0.05)
        assert metrics.of_sends()["penstock_send_retries_total"] == 3

    run_async(scenario())


def test_worker_and_producer_share_the_metrics_of_a_process(target: Target) -> None:
    """A handler may send to its own pipeline: each side adds its values, and counters never fall."""
    metrics = ProducerMetrics()
    worker_metrics = WorkerMetrics(Metrics.of_spec("worker", pipeline(), metrics.collector))
    worker_metrics.connections.follow(lambda: 3)
    spawner = cast("Spawner", SimpleNamespace(started=0, children=0))

    async def scenario() -> None:
        async with producer(target, metrics) as one:
            worker_metrics.sample(3, spawner)
            await one.send({"job": "a"})
            worker_metrics.sample(3, spawner)
            worker_metrics.sample(4, spawner)
            assert metrics.of_redis() == {"penstock_redis_connections": 4, "penstock_redis_connects_total": 5}

    run_async(scenario())


def test_every_send_metric_exists_from_the_start() -> None:
    """An alert then sees the first step of each counter."""
    metrics = ProducerMetrics()
    names = {family.name for family in metrics.collector.collect()}
    assert {metric.name.removesuffix("_total") for metric in TOPIC.metrics} <= names
    outcomes = {
        sample.labels["outcome"]
        for family in metrics.collector.collect()
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


def test_a_producer_exposes_its_redis_metrics(target: Target) -> None:
    """It exposes connections, call times and its version, as workers and janitors do."""
    metrics = ProducerMetrics()

    async def scenario() -> None:
        one, other = producer(target, metrics), producer(target, metrics)
        async with one, other:
            assert metrics.of_redis() == {}
            await one.send({"job": "a"})
            assert metrics.of_redis() == {"penstock_redis_connections": 1, "penstock_redis_connects_total": 1}
            await other.result("none")
            assert metrics.of_redis() == {"penstock_redis_connections": 2, "penstock_redis_connects_total": 2}
            assert metrics.all()["penstock_redis_seconds_count"] >= 2
        assert metrics.of_redis() == {"penstock_redis_connects_total": 2}

    run_async(scenario())
    [info] = [one for family in metrics.collector.collect() for one in family.samples if one.name == "penstock_info"]
    assert info.labels == {"pipeline": "trial", "role": "producer", "version": __version__, "digest": ""}
    assert info.value == 1


def test_failed_calls_are_counted_by_kind(server: Server) -> None:
    """Redis refuses the call, or a script refuses each message, or there is no reply or no connection."""
    metrics = ProducerMetrics()
    refused, absent = "penstock_redis_errors_total refused", "penstock_redis_errors_total absent"

    async def scenario() -> None:
        spec = pipeline(send={"attempts": 1})
        async with Producer(spec, server.model(), credentials=Credentials(), metrics=metrics.metrics) as one:
            server.ask("SET", STREAM, "something else")
            with pytest.raises(RedisRefused):
                await one.send({"job": "a"})
            assert metrics.all()[refused] == 1
            server.ask("DEL", STREAM)
            server.ask("SET", f"{{{STREAM}}}:delayed", "something else")
            outcomes = await one.send_many(jobs(3), delay=60)
            assert all(isinstance(outcome, Failed) for outcome in outcomes)
            assert metrics.all()[refused] == 2
            server.kill()
            with pytest.raises((RedisAbsent, Unknown)):
                await one.send({"job": "a"})
            with pytest.raises(RedisAbsent):
                await one.send({"job": "a"})
            assert metrics.all()[absent] >= 1
            assert "penstock_redis_connections" not in metrics.all()

    run_async(scenario())


def test_a_producer_feeds_every_metric_it_declares(server: Server) -> None:
    """None stays at 0 forever."""
    metrics = ProducerMetrics()
    seen: set[str] = set()

    def collect() -> bool:
        seen.update(name.partition(" ")[0].removesuffix("_count") for name in metrics.all())
        return "penstock_send_waiting" in seen

    def make(**backlog: object) -> Producer:
        spec = pipeline(backlog={"limit": 1, **backlog})
        return Producer(spec, server.model(), credentials=Credentials(), metrics=metrics.metrics)

    async def scenario() -> None:
        async with make(when_full="drop-oldest", lossy=True) as dropping, make(when_full="wait") as waiting:
            await dropping.send_many(jobs(3))
            task = asyncio.create_task(waiting.send({"job": "a"}))
            await until(collect, "the send waits for room")
            task.cancel()
            server.kill()
            for _ in range(5):
                with pytest.raises((RedisAbsent, Unknown, BreakerOpen)):
                    await dropping.send({"job": "a"})
            collect()

    run_async(scenario())
    assert seen == {metric.name for metric in metrics.metrics.contract()}


def test_a_program_can_expose_the_metrics_in_its_own_registry(target: Target) -> None:
    """One call, at any time, covers all producers of the process."""
    registry = CollectorRegistry()
    penstock.metrics(registry)
    penstock.metrics(registry)

    async def scenario() -> None:
        async with Producer(pipeline(), target.redis, credentials=target.credentials) as one:
            await one.send({"job": "a"})

    run_async(scenario())
    labels = {"pipeline": "trial", "outcome": "new"}
    assert (registry.get_sample_value("penstock_sent_total", labels) or 0) >= 1
    assert registry.get_sample_value("penstock_breaker_open", {"pipeline": "trial"}) == 0


def test_metrics_default_to_the_global_registry() -> None:
    """Most programs expose the registry of `prometheus_client`."""
    code = (
        "import penstock; penstock.metrics(); "
        "from penstock.producer import Producer; from penstock_spec.kinds.pipeline.spec import Pipeline; "
        "from penstock_spec.platform import Redis; import sys, json; "
        "Producer(Pipeline.model_validate(json.loads(sys.argv[1])), Redis(addresses=['127.0.0.1:1'])); "
        "from prometheus_client import generate_latest; print(generate_latest().decode())"
    )
    spec = pipeline().model_dump_json(by_alias=True, exclude_unset=True)
    page = subprocess.run([sys.executable, "-c", code, spec], check=True, capture_output=True, text=True).stdout
    assert 'penstock_sent_total{outcome="new",pipeline="trial"} 0.0' in page
    assert "process_resident_memory_bytes" in page


def test_an_outage_is_logged_once_and_so_is_its_end(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """There is no event per message, and no body in the log."""
    caplog.set_level(logging.INFO, "penstock.producer")

    async def scenario() -> None:
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

    run_async(scenario())
    assert events(caplog) == [Event.REDIS_UNREACHABLE, Event.BREAKER_OPENED, Event.REDIS_REACHABLE]
    assert "secret" not in "".join(str(vars(record)) for record in caplog.records)


# Traces


def fields(target: Target) -> dict[str, str]:
    """Return the trace fields of the only entry."""
    (entry,) = entries(target)
    return {name: value for name, value in entry.fields.items() if "trace" in name}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"traceparent": PARENT}, {"penstock-traceparent": PARENT}),
        (
            {"traceparent": PARENT, "tracestate": "vendor=1"},
            {"penstock-traceparent": PARENT, "penstock-tracestate": "vendor=1"},
        ),
        ({"traceparent": "00-nonsense-01", "tracestate": "vendor=1"}, {}),
        ({"traceparent": "\udc80"}, {}),
        ({"traceparent": None, "tracestate": None}, {}),
        ({"traceparent": PARENT, "tracestate": None}, {"penstock-traceparent": PARENT}),
        (
            {"Traceparent": PARENT, "TRACESTATE": "vendor=1"},
            {"penstock-traceparent": PARENT, "penstock-tracestate": "vendor=1"},
        ),
        ({"host": "example.org"}, {}),
        ({}, {}),
    ],
)
def test_a_trace_argument_travels_with_the_message(
    target: Target, given: Mapping[str, str | None], expected: dict[str, str]
) -> None:
    """Programs without OpenTelemetry pass the headers; invalid ones are left out and stop no send."""

    async def scenario() -> None:
        async with producer(target, ProducerMetrics()) as one:
            assert isinstance(await one.send({"job": "a"}, trace=given), Sent)

    run_async(scenario())
    assert fields(target) == expected


def test_messages_that_a_handler_sends_carry_its_trace(target: Target) -> None:
    """The handler passes no trace itself."""

    async def scenario() -> None:
        async with producer(target, ProducerMetrics()) as one:
            token = CARRIED.set(Trace("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "01"))
            await one.send_many([{"job": "a"}])
            CARRIED.reset(token)

    run_async(scenario())
    assert fields(target) == {"penstock-traceparent": PARENT}


def test_with_opentelemetry_a_send_is_a_span(server: Server) -> None:
    """A message carries the span of its send; a batch shares one; a failed span does not contain the body."""
    done = subprocess.run(
        [sys.executable, TRACED, server.address], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_timeout_in_a_full_backlog_counts_as_rejected(target: Target) -> None:
    """The full backlog is the reason, not the deadline."""
    metrics = ProducerMetrics()

    async def scenario() -> None:
        async with producer(target, metrics, pipeline(backlog={"limit": 1, "when_full": "wait"})) as one:
            await one.send({"job": "a"})
            with pytest.raises(BacklogFull):
                await one.send({"job": "b"}, timeout=0.05)

    run_async(scenario())
    assert metrics.of_sends()["penstock_sent_total rejected"] == 1
