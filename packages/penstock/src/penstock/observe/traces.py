"""W3C trace context, as it travels in a message's own fields `penstock-traceparent` and `penstock-tracestate`.

It travels without OpenTelemetry, too: the trace of a message appears in the lines that its handler logs, and continues
in the messages that the handler sends. This module never imports OpenTelemetry. If a program has set it up, it is
already imported, and its current span takes precedence.
"""

from __future__ import annotations

import re
import sys
from contextvars import ContextVar
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.trace import SpanContext

TRACEPARENT = re.compile(rb"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[!-~]*)?")
MEMBER = re.compile(rb"[a-z0-9][a-z0-9_*/@-]{0,255}=[ -+\x2d-<>-~]{0,255}[!-+\x2d-<>-~]")
LONGEST_STATE, MOST_MEMBERS = 512, 32
NO_TRACE, NO_SPAN = "0" * 32, "0" * 16
NEVER = b"ff"
FIRST = b"00"


@dataclass(frozen=True, slots=True)
class Trace:
    """A position in a trace."""

    trace_id: str
    span_id: str
    flags: str
    state: str = ""

    @property
    def parent(self) -> str:
        """As `traceparent`."""
        return f"00-{self.trace_id}-{self.span_id}-{self.flags}"


def read(parent: bytes | None, state: bytes | None = None) -> Trace | None:
    """Parse both fields. Without a valid `traceparent`, the state is ignored as well."""
    match = TRACEPARENT.fullmatch(parent) if parent is not None else None
    if match is None:
        return None
    version, trace_id, span_id, flags, more = match.groups()
    if version == NEVER or (version == FIRST and more is not None):
        return None
    trace = Trace(trace_id.decode(), span_id.decode(), flags.decode())
    if trace.trace_id == NO_TRACE or trace.span_id == NO_SPAN:
        return None
    return replace(trace, state=state.decode()) if state and _is_state(state) else trace


def _is_state(state: bytes) -> bool:
    members = [member.strip(b" \t") for member in state.split(b",")] if len(state) <= LONGEST_STATE else []
    return 0 < len(members) <= MOST_MEMBERS and all(MEMBER.fullmatch(member) for member in members)


CARRIED: ContextVar[Trace | None] = ContextVar("penstock_trace", default=None)
"""The trace of the message whose handler runs."""


def opentelemetry() -> ModuleType | None:
    """OpenTelemetry's API, if this program has imported it."""
    module = sys.modules.get("opentelemetry.trace")
    # Another thread may be importing it now; this name is defined late in the module.
    return None if module is None or not hasattr(module, "use_span") else module


def of_span(context: SpanContext) -> Trace:
    """The trace of messages that are sent within this span."""
    state = context.trace_state.to_header()
    return Trace(f"{context.trace_id:032x}", f"{context.span_id:016x}", f"{context.trace_flags:02x}", state)


def current() -> Trace | None:
    """The trace of the current OpenTelemetry span, or of the message whose handler runs."""
    otel = opentelemetry()
    if otel is not None:
        context = otel.get_current_span().get_span_context()
        if context.is_valid:
            return of_span(context)
    return CARRIED.get()
