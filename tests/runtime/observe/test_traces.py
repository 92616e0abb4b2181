"""The context of a trace, and spans, go from the sender through the message to the handler and beyond."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry import trace as otel
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from patience import PATIENCE

from penstock.observe import traces
from penstock.observe.spans import Sending, Spans, within
from penstock.observe.traces import CARRIED, Trace, current, read

PARENT = b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TRACE = Trace("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "01", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE")


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> Spans:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return Spans("media-cluster", "streams:media.cluster", "workers", provider=provider)


@pytest.fixture
def unconfigured() -> Iterator[Spans]:
    """Spans of a program that has loaded OpenTelemetry without a provider."""
    token = CARRIED.set(None)
    yield Spans("media-cluster", "streams:media.cluster", "workers")
    CARRIED.reset(token)


def only(exporter: InMemorySpanExporter) -> ReadableSpan:
    [span] = exporter.get_finished_spans()
    return span


def place(span: ReadableSpan) -> otel.SpanContext:
    context = span.get_span_context()
    assert context is not None
    return context


def test_a_written_trace_is_read_back() -> None:
    """With the state of other vendors."""
    trace = read(PARENT, TRACE.state.encode())
    assert trace == TRACE
    assert trace.parent.encode() == PARENT


def test_the_known_part_of_a_later_version_is_read() -> None:
    """It is passed on as the known version."""
    trace = read(b"cc" + PARENT[2:] + b"-unknown-part")
    assert trace is not None
    assert trace.parent.encode() == PARENT


@pytest.mark.parametrize(
    "parent",
    [
        None,
        b"",
        b"garbage",
        b"ff" + PARENT[2:],
        PARENT + b"-more",
        PARENT + b"\n",
        b" " + PARENT,
        PARENT[:-1],
        PARENT.upper(),
        b"cc" + PARENT[2:] + b"more",
        b"00-00000000000000000000000000000000-b7ad6b7169203331-01",
        b"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-\u0660af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".encode(),
        PARENT.replace(b"-", b"_"),
        b"\xff" * 55,
    ],
)
def test_an_invalid_traceparent_is_ignored(parent: bytes | None) -> None:
    """The message is still processed."""
    assert read(parent, b"rojo=1") is None


@pytest.mark.parametrize(
    "state",
    [
        None,
        b"",
        b",",
        b"no-equals",
        b"UPPER=1",
        b"a=",
        b"a=b\x01",
        b"a=\xff",
        b"a=b,,c=d",
        b"a=" + b"x" * 600,
        b",".join(b"k%d=v" % number for number in range(33)),
    ],
)
def test_an_invalid_tracestate_is_ignored(state: bytes | None) -> None:
    """The traceparent is still used."""
    trace = read(PARENT, state)
    assert trace is not None
    assert (trace.parent.encode(), trace.state) == (PARENT, "")


def test_blanks_between_members_are_allowed() -> None:
    """As in an HTTP header."""
    trace = read(PARENT, b"a=1 ,\tb@c/*=x y")
    assert trace is not None
    assert trace.state == "a=1 ,\tb@c/*=x y"


def test_a_send_is_a_span_that_the_message_carries(spans: Spans, exporter: InMemorySpanExporter) -> None:
    """A producer span below the sender's current span, with the id of the entry."""
    tracer = TracerProvider().get_tracer("caller")
    with tracer.start_as_current_span("request") as request, spans.send(correlation="job-1") as sending:
        carried = sending.trace
        sending.sent("7-0")

    span = only(exporter)
    assert (span.name, span.kind) == ("send media-cluster", otel.SpanKind.PRODUCER)
    assert span.parent is not None
    assert span.parent.span_id == request.get_span_context().span_id
    assert span.attributes == {
        "messaging.system": "redis",
        "messaging.operation.name": "send",
        "messaging.operation.type": "send",
        "messaging.destination.name": "streams:media.cluster",
        "messaging.message.id": "7-0",
        "messaging.message.conversation_id": "job-1",
        "penstock.pipeline": "media-cluster",
    }
    assert span.status.is_unset
    assert carried == traces.of_span(place(span))
    assert read(carried.parent.encode()) == carried


def test_a_batch_shares_a_span(spans: Spans, exporter: InMemorySpanExporter) -> None:
    """The span has the number of messages."""
    with spans.send(count=500):
        pass
    attributes = only(exporter).attributes
    assert attributes is not None
    assert attributes["messaging.batch.message_count"] == 500


def test_an_attempt_is_a_child_of_the_send_and_linked_to_it(spans: Spans, exporter: InMemorySpanExporter) -> None:
    """A consumer span in the sender's trace; spans of the handler are below it."""
    with spans.send() as sending:
        pass
    sent = place(only(exporter))
    exporter.clear()
    assert sending.trace is not None

    with spans.process(
        read(sending.trace.parent.encode()), message_id="7-0", attempt=2, correlation="x" * 1000
    ) as processing:
        assert current() == processing.trace
        assert otel.get_current_span() is processing.span

    span = only(exporter)
    assert (span.name, span.kind) == ("process media-cluster", otel.SpanKind.CONSUMER)
    assert span.parent is not None
    assert (span.parent.trace_id, span.parent.span_id, span.parent.is_remote) == (sent.trace_id, sent.span_id, True)
    assert [(link.context.trace_id, link.context.span_id) for link in span.links] == [(sent.trace_id, sent.span_id)]
    assert span.attributes == {
        "messaging.system": "redis",
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.destination.name": "streams:media.cluster",
        "messaging.consumer.group.name": "workers",
        "messaging.message.id": "7-0",
        "messaging.message.conversation_id": "x" * 256,
        "penstock.pipeline": "media-cluster",
        "penstock.attempt": 2,
    }
    assert current() is None


def test_a_message_without_a_trace_starts_one(spans: Spans, exporter: InMemorySpanExporter) -> None:
    """Whatever span is current; sends from a traced attempt keep the state of other vendors."""
    with (
        TracerProvider().get_tracer("reader").start_as_current_span("reading"),
        spans.process(None, message_id="7-0", attempt=1, correlation=None),
    ):
        pass
    span = only(exporter)
    assert span.parent is None
    assert not span.links

    with spans.process(TRACE, message_id="7-0", attempt=1, correlation=None), spans.send() as sending:
        assert sending.trace is not None
        assert (sending.trace.trace_id, sending.trace.state) == (TRACE.trace_id, TRACE.state)


def test_an_unsampled_trace_stays_unsampled(spans: Spans, exporter: InMemorySpanExporter) -> None:
    """It has no span, but the trace continues."""
    unsampled = read(PARENT[:-1] + b"0")
    assert unsampled is not None
    with spans.process(unsampled, message_id="7-0", attempt=1, correlation=None), spans.send() as sending:
        assert sending.trace is not None
        assert (sending.trace.trace_id, sending.trace.flags) == (unsampled.trace_id, "00")
    assert exporter.get_finished_spans() == ()


def test_a_failure_is_recorded_without_its_text(spans: Spans, exporter: InMemorySpanExporter) -> None:
    """By type and frames; the text may quote the message."""
    text = "jane@example.org"
    with (
        pytest.raises(KeyError, match=text),
        spans.process(TRACE, message_id="7-0", attempt=1, correlation=None),
    ):
        _look_up({}, text)
    span = only(exporter)
    [event] = span.events
    assert span.status.status_code is otel.StatusCode.ERROR
    assert span.status.description == "KeyError"
    assert span.attributes is not None
    assert span.attributes["error.type"] == "KeyError"
    assert event.name == "exception"
    assert event.attributes is not None
    assert event.attributes["exception.type"] == "KeyError"
    assert "in _look_up" in str(event.attributes["exception.stacktrace"])
    assert text not in span.to_json()


def _look_up(known: dict[str, str], name: str) -> str:
    return known[name]


def test_a_failure_that_was_caught_is_recorded_once(spans: Spans, exporter: InMemorySpanExporter) -> None:
    """The worker catches and reports the exceptions of handlers."""
    with spans.process(TRACE, message_id="7-0", attempt=1, correlation=None) as processing:
        processing.failed(ValueError("one"))
    assert len(only(exporter).events) == 1
    exporter.clear()
    with pytest.raises(ValueError, match="two"), spans.send() as sending:
        _report_and_raise(sending, ValueError("two"))
    assert len(only(exporter).events) == 1


def _report_and_raise(sending: Sending, error: Exception) -> None:
    sending.failed(error)
    raise error


def test_a_cancelled_attempt_is_not_failed(spans: Spans, exporter: InMemorySpanExporter) -> None:
    """A drain gives the message back; the next attempt has its own span."""
    with (
        pytest.raises(asyncio.CancelledError),
        spans.process(TRACE, message_id="7-0", attempt=1, correlation=None),
    ):
        raise asyncio.CancelledError
    span = only(exporter)
    assert span.status.is_unset
    assert not span.events


def test_a_child_process_continues_the_trace(spans: Spans, exporter: InMemorySpanExporter) -> None:
    """The child receives the context of its parent."""
    with spans.process(TRACE, message_id="7-0", attempt=1, correlation=None) as processing:
        passed = processing.trace
    with within(passed):
        assert current() == passed
        with spans.send() as sending:
            pass
    assert current() is None
    assert passed is not None
    attempt, send = exporter.get_finished_spans()
    assert place(attempt).trace_id == int(TRACE.trace_id, 16)
    assert send.parent is not None
    assert send.parent.span_id == int(passed.span_id, 16)
    assert sending.trace is not None
    with within(None):
        assert current() is None


def test_without_a_provider_only_the_context_is_passed_on(unconfigured: Spans) -> None:
    """Messages of a handler carry the trace of its message; a sender without a trace sends none."""
    assert not unconfigured.active
    with unconfigured.send() as sending:
        sending.sent("6-0")
        assert (sending.span, sending.trace) == (None, None)
    with unconfigured.process(TRACE, message_id="7-0", attempt=1, correlation="x") as processing:
        assert (processing.span, processing.trace, current()) == (None, TRACE, TRACE)
        with unconfigured.send() as sending:
            assert sending.trace == TRACE
        processing.failed(ValueError("x"))
    assert current() is None


WITHOUT_OPENTELEMETRY = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "opentelemetry":
            raise ImportError(f"{name} is not installed")

sys.meta_path.insert(0, Blocked())
import json, logging
from penstock.observe.lines import Process
from penstock.observe.logs import set_up
from penstock.observe.spans import Spans
from penstock.observe.traces import read

set_up(Process("x"), format_="json", level=logging.INFO)
spans = Spans("x", "stream", "group")
trace = read(b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
with spans.process(trace, message_id="7-0", attempt=1, correlation=None):
    logging.getLogger("media").info("hello")
    with spans.send() as sending:
        print(sending.trace.parent)
assert not spans.active
assert not [name for name in sys.modules if name.startswith(("opentelemetry", "prometheus_client"))]
"""


def test_without_opentelemetry_the_trace_is_passed_on_and_logged(tmp_path: Path) -> None:
    """Where the package is not installed; no part of it is imported."""
    program = tmp_path / "without_opentelemetry.py"
    program.write_text(WITHOUT_OPENTELEMETRY)
    finished = subprocess.run([sys.executable, program], capture_output=True, timeout=PATIENCE, check=False)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.strip() == PARENT
    assert b'"trace_id": "0af7651916cd43dd8448eb211c80319c", "span_id": "b7ad6b7169203331"' in finished.stderr


LATE_SETUP = """
from penstock.observe.spans import CHECK_AGAIN_AFTER, Spans
spans = Spans("x", "stream", "group")
assert not spans.active

from opentelemetry import trace
assert not spans.active

from opentelemetry.sdk.trace import TracerProvider
trace.set_tracer_provider(TracerProvider())
assert any(spans.active for _ in range(CHECK_AGAIN_AFTER + 1))
assert spans.active
with spans.process(None, message_id="7-0", attempt=1, correlation=None) as processing:
    assert processing.span.is_recording()
print("ok")
"""


def test_late_setup_of_opentelemetry_is_noticed(tmp_path: Path) -> None:
    """A handler's module may set it up when it is imported; until then no part of it is loaded."""
    program = tmp_path / "late_setup.py"
    program.write_text(LATE_SETUP)
    finished = subprocess.run([sys.executable, program], capture_output=True, timeout=PATIENCE, check=False)
    assert (finished.returncode, finished.stdout.strip()) == (0, b"ok"), finished.stderr
