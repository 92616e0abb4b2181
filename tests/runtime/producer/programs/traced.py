"""A program sets up OpenTelemetry and sends."""

from __future__ import annotations

import asyncio
import socket
import sys
from contextlib import suppress

import hiredis
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from penstock.producer import NotAsDescribed, Producer, Sent, SyncProducer
from penstock.wire.credentials import Credentials
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Redis

SPEC = Pipeline.model_validate(
    {
        "kind": "pipeline",
        "name": "trial",
        "owner": {"team": "tests"},
        "handler": "handlers:handle",
        "image": "registry.example/trial:1.0.0",
        "stream": {"key": "jobs", "group": "crew"},
        "message": {"schema": {"type": "object", "required": ["job"]}, "correlate": "job"},
        "dead_letter": {"key": "{jobs}:dead"},
    }
)
REDIS = Redis(addresses=[sys.argv[1]])


def named(span: ReadableSpan) -> str:
    """Return the span as a message carries it."""
    context = span.get_span_context()
    assert context is not None
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


async def send(exporter: InMemorySpanExporter) -> None:
    """Send one message, a batch, and an invalid message."""
    async with Producer(SPEC, REDIS, credentials=Credentials()) as producer:
        with trace.get_tracer("test").start_as_current_span("request"):
            sent = await producer.send({"job": "a"})
            assert isinstance(sent, Sent)
            await producer.send_many([{"job": "b"}, {"job": "c"}])
            with suppress(NotAsDescribed):
                await producer.send({"no": "secret"})
    one, many, failed, request = exporter.get_finished_spans()
    assert [span.name for span in (one, many, failed)] == ["send trial"] * 3
    assert all(span.parent == request.get_span_context() for span in (one, many, failed))
    attributes = dict(one.attributes or {})
    assert attributes["messaging.message.id"] == sent.id
    assert attributes["messaging.message.conversation_id"] == "a"
    assert (many.attributes or {})["messaging.batch.message_count"] == 2
    assert not failed.status.is_ok
    assert "secret" not in failed.to_json()
    parents = carried()
    assert parents == [named(one), named(many), named(many)], parents


def send_from_a_thread(exporter: InMemorySpanExporter) -> None:
    """A blocking send is a child of the caller's span, although another thread does it."""
    request_span = trace.get_tracer("test").start_as_current_span("request")
    with SyncProducer(SPEC, REDIS, credentials=Credentials()) as producer, request_span:
        producer.send({"job": "d"})
    sent, request = exporter.get_finished_spans()
    assert sent.parent == request.get_span_context()
    assert carried()[-1] == named(sent)


def carried() -> list[str]:
    """Return the trace parents of the messages in the stream."""
    host, _, port = sys.argv[1].partition(":")
    with socket.create_connection((host, int(port))) as line:
        line.sendall(b"XRANGE jobs - +\r\n")
        reader = hiredis.Reader(encoding="utf-8")
        while (reply := reader.gets()) is False:
            reader.feed(line.recv(65536))
    entries = [dict(zip(flat[::2], flat[1::2], strict=True)) for _, flat in reply]
    return [entry["penstock-traceparent"] for entry in entries]


def main() -> None:
    """Set up the exporter as a program does, and check the spans."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    asyncio.run(send(exporter))
    exporter.clear()
    send_from_a_thread(exporter)


if __name__ == "__main__":
    main()
