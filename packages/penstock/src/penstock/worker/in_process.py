"""Runs a message's handler here, in this process: read, check, call."""

from __future__ import annotations

from typing import Any

from penstock.handling.middleware import Call
from penstock.handling.typed import Make
from penstock.message.form import Form, Received
from penstock.observe.about import ABOUT
from penstock.observe.spans import Spans
from penstock.observe.traces import read
from penstock.worker.context import Context
from penstock.worker.delivery import Delivery


class InProcessRunner:
    """Runs messages in this process."""

    def __init__(self, form: Form, make: Make, call: Call, spans: Spans) -> None:
        """`make` gives what the handler takes."""
        self._form = form
        self._make = make
        self._call = call
        self._spans = spans

    async def run(self, delivery: Delivery, context: Context) -> None:
        """One attempt. Raises Unreadable, and what the handler raises."""
        ABOUT.set(context)
        received = self._form.read(delivery.fields)
        context.about(received.value, received.own.id)
        message = self._make(received)
        if received.own.parent is None and not self._spans.active:
            await self._call(message, context)
        else:
            await self._traced(received, message, context)

    async def _traced(self, received: Received, message: Any, context: Context) -> None:  # noqa: ANN401 - as handlers want it
        came_with = read(received.own.parent, received.own.state)
        around = self._spans.process(
            came_with, message_id=context.message_id, attempt=context.attempt, correlation=context.correlation
        )
        with around as processing:
            context.span = processing.span
            await self._call(message, context)
