"""What a child process runs: the same reading, checking and calling as in a worker, for one message at a time."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from penstock.handling.calling import ThreadStillRunning, call_of
from penstock.handling.failures import Failure
from penstock.handling.load import Handler, load
from penstock.isolation.program import RunControl
from penstock.isolation.runs import CancelReason, RunRequest
from penstock.message.form import form_of
from penstock.message.unreadable import Unreadable
from penstock.observe.failures import failure
from penstock.observe.lines import Process
from penstock.observe.logs import level_of, set_up
from penstock.observe.spans import Spans
from penstock.worker import outcome
from penstock.worker.context import Context, MessageSettings, Progress
from penstock.worker.delivery import Delivery
from penstock.worker.in_process import InProcessRunner
from penstock_spec.kinds.pipeline.spec import Pipeline

if TYPE_CHECKING:
    from penstock.resolved import ResolvedPipeline  # a child has no use for what reads files of specs


def config_of(pipeline: ResolvedPipeline, log_format: str) -> dict[str, Any]:
    """What `program` is called with in the child."""
    spec = pipeline.spec.model_dump(mode="json", by_alias=True)
    return {"spec": spec, "schema": pipeline.message_schema(), "log_format": log_format}


def program(config: Mapping[str, Any]) -> HandlerProgram:
    """Called once, before children are made: imports the handler and compiles the schema."""
    spec = Pipeline.model_validate(config["spec"])
    process = Process(spec.name)
    set_up(process, format_="text" if config["log_format"] == "text" else "json", level=level_of(os.environ))
    return HandlerProgram(spec, config["schema"], load(spec), process)


class HandlerProgram:
    """Runs messages in a child."""

    def __init__(self, spec: Pipeline, schema: dict[str, Any], handler: Handler, process: Process) -> None:
        """`process` is who logs; it was made before the child was."""
        self._form = form_of(spec.message, schema)
        self._handler = handler
        self._spans = Spans(spec.name, spec.stream.key, spec.stream.group)
        self._terms = MessageSettings.of(spec)
        self._alive = AsyncExitStack()
        self._here: InProcessRunner | None = None
        self._process = process

    async def run(self, request: RunRequest, control: RunControl) -> bytes:
        """One attempt; what came of it, as `outcome` has it."""
        self._process.pid, self._process.consumer = os.getpid(), request.consumer
        delivery = Delivery(request.id, [part for pair in request.fields for part in pair], request.consumer)
        delivery.count, delivery.uncharged = request.fence, request.fence - request.attempt
        left = 0.0 if request.seconds_left is None else request.seconds_left
        context = Context(delivery, time.monotonic() + left, self._terms, lambda told: control.progress(_words(told)))
        running = asyncio.current_task()

        def cancel(why: CancelReason) -> None:
            context.why = why
            if running is not None:
                running.cancel()

        control.on_cancel(cancel)
        if self._here is None:
            try:
                self._here = await self._begin()
            except BaseException as error:
                if context.why is not None:
                    raise
                control.retire()
                return outcome.written(outcome.Outcome(unstarted=_unstarted(error)))
        return outcome.written(await self._outcome(self._here, delivery, context, control))

    async def _outcome(
        self, here: InProcessRunner, delivery: Delivery, context: Context, control: RunControl
    ) -> outcome.Outcome:
        try:
            await here.run(delivery, context)
        except Unreadable as error:
            return outcome.Outcome(unreadable=(error.reason, error.says))
        except ThreadStillRunning:
            control.retire()
            raise asyncio.CancelledError from None
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError) and context.why is not None:
                raise
            if isinstance(error, MemoryError):
                control.retire()
            if context.why is None:
                context.log.failure("a message failed", error)
            return outcome.Outcome(failure=Failure.of(error))
        if context.left is None:
            return outcome.Outcome()
        return outcome.Outcome(left=context.left.result.decode(), stays=context.left.stays)

    async def _begin(self) -> InProcessRunner:
        if self._handler.lifespan is not None:
            await self._alive.enter_async_context(self._handler.lifespan())
        call = call_of(self._handler, lambda: ThreadPoolExecutor(1, thread_name_prefix="penstock-handler"))
        return InProcessRunner(self._form, self._handler.make, call, self._spans)

    async def close(self) -> None:
        """Leave what lives as long as this child."""
        await self._alive.aclose()


def _unstarted(error: BaseException) -> str:
    at = failure(error).at
    return f"its `lifespan` fails: {Failure.of(error).error}" + (f" ({at})" if at else "")


def _words(told: Progress) -> dict[str, str | float | None]:
    return {"says": told.says, "done": told.done, "total": told.total}
