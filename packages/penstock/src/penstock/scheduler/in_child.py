"""The program of a scheduler's child processes: calls the handlers of jobs as the pod does."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import asdict
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from penstock.handling.calling import ThreadStillRunning, call_of
from penstock.handling.declare import Lifespan
from penstock.handling.failures import Failure
from penstock.handling.load import LoadedFunction, function_of
from penstock.handling.middleware import Call
from penstock.handling.team_code import CodeReference
from penstock.isolation.program import RunControl
from penstock.isolation.runs import CancelReason, RunRequest
from penstock.observe.failures import failure
from penstock.observe.lines import Process
from penstock.observe.logs import level_of, set_up
from penstock.observe.subject import SUBJECT
from penstock.scheduler.context import JobContext, StopReason
from penstock.scheduler.job_steps import AcquiredJob
from penstock_spec.kinds.scheduler.effective import EffectiveJob

REASONS: Mapping[CancelReason, StopReason] = {"timeout": "overdue", "lost": "lost", "drain": "drain"}


@cache
def jobs() -> TypeAdapter[EffectiveJob]:
    """Writes and reads a job as JSON."""
    return TypeAdapter(EffectiveJob)


def program(config: Mapping[str, Any]) -> JobProgram:
    """Import the handlers that the spec names. Called once, before the first fork."""
    process = Process(config["scheduler"], kind="scheduler")
    set_up(process, format_="text" if config["log_format"] == "text" else "json", level=level_of(os.environ))
    loaded = JobProgram(config["scheduler"], process)
    for handler in config["handlers"]:
        loaded.load(handler)
    return loaded


class JobProgram:
    """Runs jobs in a child, one at a time."""

    def __init__(self, scheduler: str, process: Process) -> None:
        """`process` describes this process in log lines; it was created before the fork."""
        self._scheduler = scheduler
        self._process = process
        self._loaded: dict[str, LoadedFunction] = {}
        self._calls: dict[str, Call] = {}
        self._entered: set[Lifespan] = set()
        self._lifespans = AsyncExitStack()

    def load(self, handler: str) -> LoadedFunction:
        """Import a handler. A list of jobs may name handlers that the spec does not."""
        if handler not in self._loaded:
            hint = "run this where the code is, or name its folder by `--path`"
            code = CodeReference(handler, "handler", f"`{self._scheduler}`", hint)
            self._loaded[handler] = function_of(code, "job")
        return self._loaded[handler]

    async def run(self, request: RunRequest, control: RunControl) -> bytes:
        """Run a job. The result is empty after success, else a `Failure` as JSON."""
        self._process.pid, self._process.consumer = os.getpid(), request.consumer
        fields = dict(request.fields)
        job = jobs().validate_json(fields[b"job"])
        due, left = json.loads(fields[b"run"])
        taken = AcquiredJob(job.name, due, 0, request.fence, 0.0, None)
        context = JobContext(taken, due, request.attempt, time.monotonic() + left, request.consumer)
        running = asyncio.current_task()

        def cancel(why: CancelReason) -> None:
            context.why = REASONS[why]
            if running is not None:
                running.cancel()

        control.on_cancel(cancel)
        SUBJECT.set(context)
        try:
            await (await self._call(str(job.handler)))(job, context)
        except ThreadStillRunning as thread:
            control.retire()
            await asyncio.wait([thread.future])  # it may stop by itself; if not, the pod kills this process
            raise
        except asyncio.CancelledError:
            if context.why is not None:
                raise
            return _failed(asyncio.CancelledError())
        except BaseException as error:  # noqa: BLE001 - the pod gets any failure
            if isinstance(error, MemoryError):
                control.retire()
            return _failed(error)
        return b""

    async def close(self) -> None:
        """Exit the lifespans."""
        await self._lifespans.aclose()

    async def _call(self, handler: str) -> Call:
        if handler not in self._calls:
            loaded = self.load(handler)
            if loaded.lifespan is not None and loaded.lifespan not in self._entered:
                await self._lifespans.enter_async_context(loaded.lifespan())
                self._entered.add(loaded.lifespan)
            self._calls[handler] = call_of(loaded, lambda: ThreadPoolExecutor(1, thread_name_prefix="penstock-handler"))
        return self._calls[handler]


def _failed(error: BaseException) -> bytes:
    return json.dumps(asdict(Failure.of(error, failure(error).at))).encode()
