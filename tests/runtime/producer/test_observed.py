"""What can be seen of sends: metrics, traces, and lines of the log."""

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
from penstock.observe.board import Board
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
from penstock.worker.metrics import WorkerMetrics as WorkerTally
from penstock_spec.kinds.pipeline.metrics.sending import SENT, TOPIC
from penstock_spec.kinds.pipeline.spec import Pipeline

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
OF_SENDS = tuple(metric.name for metric in TOPIC.metrics)
TRACED = Path(__file__).parent / "programs" / "traced.py"


class Counted:
    """A board of the test's own."""

    def __init__(self) -> None:
        self.board = Board()
        self.metrics = Metrics.of_spec("producer", pipeline(), self.board)

    def all(self) -> dict[str, float]:
        """Values by name, and by outcome or kind where there are several; without what is 0."""
        values = {}
        for family in self.board.collect():
            for sample in family.samples:
                if sample.value and not sample.name.endswith(("_bucket", "_sum")):
                    word = sample.labels.get("outcome") or sample.labels.get("kind")
                    values[f"{sample.name}{f' {word}' if word else ''}"] = sample.value
        return values

    def shown(self) -> dict[str, float]:
        """Of these what was sent, without how Redis was."""
        return {name: value for name, value in self.all().items() if name.startswith(OF_SENDS)}

    def redis(self) -> dict[str, float]:
        """How Redis was, without how often it was asked."""
        return {name: value for name, value in self.all().items() if "_redis_" in name and "seconds" not in name}


def producer(target: Target, counted: Counted, spec: Pipeline | None = None) -> Producer:
    return Producer(spec or pipeline(), target.redis, credentials=target.credentials, metrics=counted.metrics)


def test_each_message_is_counted_by_what_became_of_it(target: Target) -> None:
    """Once, and timed if it was sent at all."""
    counted = Counted()

    async def scenario() -> None:
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

    run_async(scenario())


def test_what_was_dropped_is_counted(target: Target) -> None:
    """By whoever dropped it."""
    counted = Counted()

    async def scenario() -> None:
        spec = pipeline(backlog={"limit": 3, "when_full": "drop-oldest", "lossy": True})
        async with producer(target, counted, spec) as one:
            await one.send_many(jobs(10))
        assert counted.shown()["penstock_dropped_total"] == 7

    run_async(scenario())


def test_who_waits_for_room_is_counted_while_waiting(target: Target) -> None:
    """And not after."""
    counted = Counted()

    async def scenario() -> None:
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

    run_async(scenario())


def test_who_waits_for_redis_does_not_wait_for_room(server: Server) -> None:
    """It did, and then Redis went away."""
    counted = Counted()

    async def scenario() -> None:
        spec = pipeline(
            message={"dedup": DEDUP},  # so that it insists also where an answer got lost
            backlog={"limit": 1, "when_full": "wait"},
            send={"attempts": 100, "backoff": {"first": "1h", "factor": 1}},
        )
        async with Producer(spec, server.model(), credentials=Credentials(), metrics=counted.metrics) as one:
            await one.send({"job": "a"})
            waits = asyncio.create_task(one.send({"job": "b"}))
            await until(lambda: counted.shown().get("penstock_send_waiting") == 1, "it waits for room")
            server.kill()
            await until(lambda: "penstock_send_waiting" not in counted.shown(), "it waits for Redis")
            assert not waits.done()
            waits.cancel()

    run_async(scenario())


def test_messages_that_are_sent_once_more_are_counted(server: Server) -> None:
    """Each of a call; and none where nothing was repeated after all."""
    counted = Counted()

    def made(**send: object) -> Producer:
        spec = pipeline(send=send)
        return Producer(spec, server.model(), credentials=Credentials(), metrics=counted.metrics)

    async def scenario() -> None:
        server.ask("CONFIG", "SET", "maxmemory", 1)
        async with made(attempts=2) as one:
            assert all(isinstance(outcome, Failed) for outcome in await one.send_many(jobs(3)))
        assert counted.shown()["penstock_send_retries_total"] == 3
        async with made(attempts=2, backoff={"first": "1h", "factor": 1}) as other:
            with pytest.raises(RedisRefused):
                await other.send({"job": "a"}, timeout=0.05)
        assert counted.shown()["penstock_send_retries_total"] == 3

    run_async(scenario())


def test_a_handler_that_sends_to_its_own_pipeline(target: Target) -> None:
    """Worker and producer tell the same metrics of one process: each adds its own, and counters never fall."""
    counted = Counted()
    of_worker = WorkerTally(Metrics.of_spec("worker", pipeline(), counted.board))
    of_worker.connections.follow(lambda: 3)
    spawner = cast("Spawner", SimpleNamespace(started=0, children=0))

    async def scenario() -> None:
        async with producer(target, counted) as one:
            of_worker.sample(3, spawner)
            await one.send({"job": "a"})
            of_worker.sample(3, spawner)
            of_worker.sample(4, spawner)
            assert counted.redis() == {"penstock_redis_connections": 4, "penstock_redis_connects_total": 5}

    run_async(scenario())


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


def test_it_tells_how_it_gets_on_with_redis(target: Target) -> None:
    """As workers and janitors do: its connection, how long Redis takes, and what runs."""
    counted = Counted()

    async def scenario() -> None:
        one, other = producer(target, counted), producer(target, counted)
        async with one, other:
            assert counted.redis() == {}
            await one.send({"job": "a"})
            assert counted.redis() == {"penstock_redis_connections": 1, "penstock_redis_connects_total": 1}
            await other.result("none")
            assert counted.redis() == {"penstock_redis_connections": 2, "penstock_redis_connects_total": 2}
            assert counted.all()["penstock_redis_seconds_count"] >= 2
        assert counted.redis() == {"penstock_redis_connects_total": 2}

    run_async(scenario())
    [info] = [one for family in counted.board.collect() for one in family.samples if one.name == "penstock_info"]
    assert info.labels == {"pipeline": "trial", "role": "producer", "version": __version__, "digest": ""}
    assert info.value == 1


def test_calls_that_fail_are_counted_by_how(server: Server) -> None:
    """Refused as a whole, refused to the script for each of several messages, not answered, and not connected."""
    counted = Counted()
    refused, absent = "penstock_redis_errors_total refused", "penstock_redis_errors_total absent"

    async def scenario() -> None:
        spec = pipeline(send={"attempts": 1})
        async with Producer(spec, server.model(), credentials=Credentials(), metrics=counted.metrics) as one:
            server.ask("SET", STREAM, "something else")
            with pytest.raises(RedisRefused):
                await one.send({"job": "a"})
            assert counted.all()[refused] == 1
            server.ask("DEL", STREAM)
            server.ask("SET", f"{{{STREAM}}}:delayed", "something else")
            outcomes = await one.send_many(jobs(3), delay=60)
            assert all(isinstance(outcome, Failed) for outcome in outcomes)
            assert counted.all()[refused] == 2
            server.kill()
            with pytest.raises((RedisAbsent, Unknown)):
                await one.send({"job": "a"})
            with pytest.raises(RedisAbsent):
                await one.send({"job": "a"})
            assert counted.all()[absent] >= 1
            assert "penstock_redis_connections" not in counted.all()

    run_async(scenario())


def test_every_metric_of_the_contract_is_told(server: Server) -> None:
    """What a producer is said to export is what a producer that works feeds, and none stays at 0 for ever."""
    counted = Counted()
    seen: set[str] = set()

    def look() -> bool:
        seen.update(name.partition(" ")[0].removesuffix("_count") for name in counted.all())
        return "penstock_send_waiting" in seen

    def made(**backlog: object) -> Producer:
        spec = pipeline(backlog={"limit": 1, **backlog})
        return Producer(spec, server.model(), credentials=Credentials(), metrics=counted.metrics)

    async def scenario() -> None:
        async with made(when_full="drop-oldest", lossy=True) as dropping, made(when_full="wait") as waiting:
            await dropping.send_many(jobs(3))
            task = asyncio.create_task(waiting.send({"job": "a"}))
            await until(look, "it waits for room")
            task.cancel()
            server.kill()
            for _ in range(5):
                with pytest.raises((RedisAbsent, Unknown, BreakerOpen)):
                    await dropping.send({"job": "a"})
            look()

    run_async(scenario())
    assert seen == {metric.name for metric in counted.metrics.contract()}


def test_a_program_shows_them_on_its_own_page(target: Target) -> None:
    """One call, whenever it likes, for all producers of the process."""
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


def test_without_a_registry_it_is_that_of_prometheus_client() -> None:
    """Which most programs show."""
    code = (
        "import penstock; penstock.metrics(); "
        "from penstock.producer import Producer; from penstock_spec.kinds.pipeline.spec import Pipeline; "
        "from penstock_spec.platform import Redis; import sys, json; "
        "Producer(Pipeline.model_validate(json.loads(sys.argv[1])), Redis(addresses=['127.0.0.1:1'])); "
        "from prometheus_client import generate_latest; print(generate_latest().decode())"
    )
    spec = pipeline().model_dump_json(by_alias=True, exclude_unset=True)
    told = subprocess.run([sys.executable, "-c", code, spec], check=True, capture_output=True, text=True).stdout
    assert 'penstock_sent_total{outcome="new",pipeline="trial"} 0.0' in told
    assert "process_resident_memory_bytes" in told


def test_trouble_is_told_once_and_so_is_its_end(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """Not with every message, and with nothing of one."""
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
def test_the_trace_of_a_request_travels(
    target: Target, given: Mapping[str, str | None], travels: dict[str, str]
) -> None:
    """Without OpenTelemetry it is handed over by whoever has it; what is none is left out, and stops no send."""

    async def scenario() -> None:
        async with producer(target, Counted()) as one:
            assert isinstance(await one.send({"job": "a"}, trace=given), Sent)

    run_async(scenario())
    assert fields(target) == travels


def test_what_came_with_a_message_goes_on_with_those_its_handler_sends(target: Target) -> None:
    """The handler need not know of it."""

    async def scenario() -> None:
        async with producer(target, Counted()) as one:
            token = CARRIED.set(Trace("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "01"))
            await one.send_many([{"job": "a"}])
            CARRIED.reset(token)

    run_async(scenario())
    assert fields(target) == {"penstock-traceparent": PARENT}


def test_with_opentelemetry_a_send_is_a_span(server: Server) -> None:
    """A message carries its send's span; a batch shares one; a failure is on it, without the message."""
    done = subprocess.run(
        [sys.executable, TRACED, server.address], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_full_backlog_is_counted_as_rejected_by_a_deadline_too(target: Target) -> None:
    """That its time was over is not the reason."""
    counted = Counted()

    async def scenario() -> None:
        async with producer(target, counted, pipeline(backlog={"limit": 1, "when_full": "wait"})) as one:
            await one.send({"job": "a"})
            with pytest.raises(BacklogFull):
                await one.send({"job": "b"}, timeout=0.05)

    run_async(scenario())
    assert counted.shown()["penstock_sent_total rejected"] == 1
