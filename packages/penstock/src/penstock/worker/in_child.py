"""The program of a worker's child processes: reads, checks and calls the handler as a worker does."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from penstock.handling.calling import call_of
from penstock.handling.failures import Failure
from penstock.handling.load import Handler, load
from penstock.isolation.program import RunControl
from penstock.isolation.runs import CancelReason, RunRequest
from penstock.message.encoding import encoding_of
from penstock.observe.failures import failure
from penstock.observe.lines import Process
from penstock.observe.logs import level_of, set_up
from penstock.observe.spans import Spans
from penstock.pod.lease_term import SharedTerm
from penstock.worker.context import Context, MessageSettings, Progress
from penstock.worker.delivery import Delivery
from penstock.worker.in_process import InProcessRunner, outcome_of
from penstock.worker.outcome import Failed, NotStarted, Outcome, Stopped, encode
from penstock_spec.kinds.pipeline.spec import Pipeline

if TYPE_CHECKING:
    from penstock.resolved import ResolvedPipeline  # children do not need the code that reads specs


def config_of(pipeline: ResolvedPipeline, log_format: str, term: int) -> dict[str, Any]:
    """The configuration with which the fork server calls `program`; `term` is the file of the worker's lease."""
    spec = pipeline.spec.model_dump(mode="json", by_alias=True)
    return {"spec": spec, "schema": pipeline.message_schema(), "log_format": log_format, "term": term}


def program(config: Mapping[str, Any]) -> HandlerProgram:
    """Import the handler and compile the schema. Called once, before the first fork."""
    spec = Pipeline.model_validate(config["spec"])
    process = Process(spec.name)
    set_up(process, format_="text" if config["log_format"] == "text" else "json", level=level_of(os.environ))
    return HandlerProgram(spec, config["schema"], load(spec), process, SharedTerm(config["term"]))


class HandlerProgram:
    """Runs messages in a child."""

    def __init__(
        self, spec: Pipeline, schema: dict[str, Any], handler: Handler, process: Process, term: SharedTerm
    ) -> None:
        """`process` describes this process in log lines; it was created before the fork."""
        self._encoding = encoding_of(spec.message, schema)
        self._handler = handler
        self._spans = Spans(spec.name, spec.stream.key, spec.stream.group)
        self._settings = MessageSettings.of(spec, may_be_lost=term.may_be_lost)
        self._lifespan = AsyncExitStack()
        self._runner: InProcessRunner | None = None
        self._process = process

    async def run(self, request: RunRequest, control: RunControl) -> bytes:
        """Run one attempt, and encode its outcome."""
        self._process.pid, self._process.consumer = os.getpid(), request.consumer
        delivery = Delivery(request.id, [part for pair in request.fields for part in pair], request.consumer)
        delivery.count, delivery.uncharged = request.fence, request.fence - request.attempt
        left = 0.0 if request.seconds_left is None else request.seconds_left
        context = Context(
            delivery,
            time.monotonic() + left,
            self._settings,
            lambda progress: control.progress(_progress_json(progress)),
        )
        if context.lost:  # it was delivered before its worker was suspended
            return encode(NotStarted("the lease may have expired before the handler started"))
        running = asyncio.current_task()

        def cancel(why: CancelReason) -> None:
            context.why = why
            if running is not None:
                running.cancel()

        control.on_cancel(cancel)
        if self._runner is None:
            try:
                self._runner = await self._start()
            except BaseException as error:
                if context.why is not None:
                    raise
                control.retire()
                return encode(NotStarted(_lifespan_failed(error)))
        try:
            outcome = await self._runner.run(delivery, context)
        except BaseException as error:  # noqa: BLE001 - see `Runner`
            outcome = outcome_of(error, context)
        if _taints_process(outcome):
            control.retire()
        return encode(outcome)

    async def _start(self) -> InProcessRunner:
        if self._handler.lifespan is not None:
            await self._lifespan.enter_async_context(self._handler.lifespan())
        call = call_of(self._handler, lambda: ThreadPoolExecutor(1, thread_name_prefix="penstock-handler"))
        return InProcessRunner(self._encoding, self._handler.make, call, self._spans)

    async def close(self) -> None:
        """Exit the lifespan."""
        await self._lifespan.aclose()


def _lifespan_failed(error: BaseException) -> str:
    at = failure(error).at
    return f"its `lifespan` failed to start: {Failure.of(error).error}" + (f" ({at})" if at else "")


def _taints_process(outcome: Outcome) -> bool:
    """Whether something of the run stays in this process: a thread still runs, or memory ran out."""
    match outcome:
        case Stopped(thread, out_of_memory):
            return thread is not None or out_of_memory
        case Failed(failure):
            return "builtins.MemoryError" in failure.types
        case _:
            return False


def _progress_json(progress: Progress) -> dict[str, str | float | None]:
    return {"says": progress.says, "done": progress.done, "total": progress.total}
