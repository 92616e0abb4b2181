"""OpenTelemetry spans around sends and attempts, if the program has set it up; otherwise only the context travels.

A message's span is both a *child* of the sender's span and *linked* to it. OpenTelemetry's conventions for messaging
want the link, and allow the parent if a span is about one message, as ours always are. The parent makes sender and
handler one trace, so that the lines of both have the same `trace_id`; and since a retry has the same parent, all
attempts are siblings below the send that caused them.

An exception is recorded with type and frames, without its text, which may quote a body (see `failures`).
"""

from __future__ import annotations

import traceback
from asyncio import CancelledError
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from contextvars import Token
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Self

from penstock import __version__
from penstock.observe.failures import type_name
from penstock.observe.lines import LONGEST_VALUE
from penstock.observe.traces import CARRIED, Trace, current, of_span, opentelemetry

if TYPE_CHECKING:
    from opentelemetry.trace import Span, SpanContext, Tracer, TracerProvider


CHECK_AGAIN_AFTER = 100
"""Messages between checks whether the program has set up OpenTelemetry."""


class Spans:
    """Creates the spans of one pipeline."""

    def __init__(self, pipeline: str, stream: str, group: str, *, provider: TracerProvider | None = None) -> None:
        """Without `provider`, the program's own is used, if any."""
        self._pipeline = pipeline
        self._stream = stream
        self._group = group
        self._given = provider
        self._known: TracerProvider | None = None
        self._tracer: Tracer | None = None
        self._passive = 0

    @property
    def active(self) -> bool:
        """Whether spans are created. If not, a message without a trace needs no `process`.

        The check costs a microsecond, so only some messages pay for it.
        """
        if self._passive > 0:
            self._passive -= 1
            return False
        if self._open() is None:
            self._passive = CHECK_AGAIN_AFTER
            return False
        return True

    def send(self, *, count: int = 1, correlation: str | None = None) -> Sending:
        """A span around one send, or around a batch."""
        opened = self._open()
        if opened is None:
            return Sending(None)
        otel, tracer = opened
        attributes = self._attributes("send", correlation)
        if count > 1:
            attributes["messaging.batch.message_count"] = count
        return Sending(tracer.start_span(f"send {self._pipeline}", kind=otel.SpanKind.PRODUCER, attributes=attributes))

    def process(self, parent: Trace | None, *, message_id: str, attempt: int, correlation: str | None) -> Processing:
        """A span around one attempt."""
        opened = self._open()
        if opened is None:
            return Processing(None, parent)
        otel, tracer = opened
        remote = None if parent is None else _context_of(otel, parent)
        span = tracer.start_span(
            f"process {self._pipeline}",
            # Without a trace in the message, an empty context: the span is not a child of the reading task's span.
            context=otel.Context() if remote is None else otel.set_span_in_context(otel.NonRecordingSpan(remote)),
            kind=otel.SpanKind.CONSUMER,
            attributes=self._attributes("process", correlation)
            | {
                "messaging.consumer.group.name": self._group,
                "messaging.message.id": message_id,
                "penstock.attempt": attempt,
            },
            links=() if remote is None else (otel.Link(remote),),
        )
        return Processing(span, parent)

    def _attributes(self, operation: str, correlation: str | None) -> dict[str, str | int]:
        attributes: dict[str, str | int] = {
            "messaging.system": "redis",
            "messaging.operation.name": operation,
            "messaging.operation.type": operation,
            "messaging.destination.name": self._stream,
            "penstock.pipeline": self._pipeline,
        }
        if correlation is not None:
            attributes["messaging.message.conversation_id"] = correlation[:LONGEST_VALUE]
        return attributes

    def _open(self) -> tuple[ModuleType, Tracer] | None:
        otel = opentelemetry()
        if otel is None:
            return None
        provider = self._given or otel.get_tracer_provider()
        if type(provider) is otel.ProxyTracerProvider:  # nothing is set up
            return None
        if self._tracer is None or provider is not self._known:
            self._known, self._tracer = provider, provider.get_tracer("penstock", __version__)
        return otel, self._tracer


class _CurrentSpan:
    """A span that is current within its `with`."""

    def __init__(self, span: Span | None) -> None:
        self.span = span
        self._current: AbstractContextManager[object] | None = None
        self._failed = False

    def failed(self, error: BaseException) -> None:
        """Record a failure."""
        self._failed = True
        if self.span is None or (otel := opentelemetry()) is None:
            return
        frames = "".join(traceback.format_tb(error.__traceback__))
        event = {"exception.type": type_name(error), "exception.stacktrace": frames}
        self.span.set_attribute("error.type", type_name(error))
        self.span.add_event("exception", event)
        self.span.set_status(otel.Status(otel.StatusCode.ERROR, type_name(error)))

    def __enter__(self) -> Self:
        if self.span is not None and (otel := opentelemetry()) is not None:
            self._current = otel.use_span(self.span, record_exception=False, set_status_on_exception=False)
            self._current.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._current is not None:
            self._current.__exit__(None, None, None)
        if error is not None and not self._failed and not isinstance(error, CancelledError):
            self.failed(error)
        if self.span is not None:
            self.span.end()


class Sending(_CurrentSpan):
    """A send in progress."""

    @property
    def trace(self) -> Trace | None:
        """The trace that the message carries; without spans, the trace of the message whose handler sends."""
        return current() if self.span is None else of_span(self.span.get_span_context())

    def sent(self, message_id: str) -> None:
        """Record the message's id."""
        if self.span is not None:
            self.span.set_attribute("messaging.message.id", message_id)


class Processing(_CurrentSpan):
    """An attempt in progress."""

    def __init__(self, span: Span | None, parent: Trace | None) -> None:
        super().__init__(span)
        self._parent = parent
        self._token: Token[Trace | None] | None = None

    @property
    def trace(self) -> Trace | None:
        """The trace that a child process continues."""
        return self._parent if self.span is None else of_span(self.span.get_span_context())

    def __enter__(self) -> Self:
        self._token = CARRIED.set(self._parent)
        return super().__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if self._token is not None:
            CARRIED.reset(self._token)


@contextmanager
def within(trace: Trace | None) -> Generator[None]:
    """Continue the parent's trace in a child process: in its logs, sends and spans."""
    token = CARRIED.set(trace)
    otel = opentelemetry()
    try:
        if otel is None or trace is None:
            yield
        else:
            with otel.use_span(otel.NonRecordingSpan(_context_of(otel, trace))):
                yield
    finally:
        CARRIED.reset(token)


def _context_of(otel: ModuleType, trace: Trace) -> SpanContext:
    context: SpanContext = otel.SpanContext(
        int(trace.trace_id, 16),
        int(trace.span_id, 16),
        is_remote=True,
        trace_flags=otel.TraceFlags(int(trace.flags, 16)),
        trace_state=otel.TraceState.from_header([trace.state]),
    )
    return context
