"""Runs a job: calls its handler, or sends a message to a pipeline."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from concurrent.futures import Executor
from contextlib import AsyncExitStack
from pathlib import Path

from penstock.handling.calling import call_of
from penstock.handling.declare import Lifespan
from penstock.handling.failures import Failure
from penstock.handling.load import LoadedFunction, function_of
from penstock.handling.middleware import Call
from penstock.handling.team_code import CodeReference
from penstock.observe.failures import failure
from penstock.producer.producer import Producer
from penstock.scheduler.context import JobContext
from penstock.scheduler.isolated import IsolatedJobs
from penstock.scheduler.resolved import FindPipeline
from penstock.wire.credentials import Credentials
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.scheduler.effective import EffectiveJob, effective_jobs
from penstock_spec.kinds.scheduler.job import SendTo
from penstock_spec.kinds.scheduler.spec import Scheduler


class JobRunner:
    """Holds handlers and producers; those that the spec names are loaded before any job runs."""

    def __init__(  # noqa: PLR0913, PLR0917 - its collaborators, each of another type
        self,
        spec: Scheduler,
        paths: Iterable[Path],
        threads: Executor,
        find_pipeline: FindPipeline,
        credentials: Credentials,
        log_format: str = "json",
    ) -> None:
        """Import the handlers that the spec names, and find the pipelines that its jobs send to. Raises CannotGoOn."""
        self._spec = spec
        self._paths = tuple(paths)
        self._threads = threads
        self._find_pipeline = find_pipeline
        self._credentials = credentials
        self._loaded: dict[str, LoadedFunction] = {}
        self._handlers: dict[str, Call] = {}
        self._entered: set[Lifespan] = set()
        self._lifespans = AsyncExitStack()
        self._lock = asyncio.Lock()
        self._producers: dict[str, tuple[Producer, bool]] = {}
        for job in effective_jobs(spec):
            if job.handler is not None:
                self._load(job.handler)
            elif job.send is not None:
                self._find_pipeline(job.send.pipeline)
        if spec.handler is not None:
            self._load(spec.handler)
        self._isolated: IsolatedJobs | None = None
        if spec.work.isolation == "process":
            self._isolated = IsolatedJobs(spec, self._loaded, self._paths, log_format)

    async def open(self) -> None:
        """Enter the handlers' lifespans, or start the process that forks others. Raises CannotGoOn."""
        if self._isolated is not None:
            await self._isolated.open()
            return
        for name in tuple(self._loaded):
            try:
                await self._handler(name)
            except Exception as error:
                says = f"`lifespan` of `{name}` failed to start: {Failure.of(error).error}"
                raise CannotGoOn(says, f"see its `lifespan`: {failure(error).at}") from error

    async def close(self) -> None:
        """Leave the lifespans, and close the producers."""
        await self._lifespans.aclose()
        if self._isolated is not None:
            await self._isolated.close()

    async def run(self, job: EffectiveJob, context: JobContext) -> None:
        """Run a job, and wait until it ends."""
        if job.handler is not None and self._isolated is not None:
            await self._isolated.run(job, context)
        elif job.handler is not None:
            call = self._handlers.get(job.handler) or await self._handler(job.handler)
            await call(job, context)
        elif job.send is not None:
            await self._send(job, job.send, context)

    async def _send(self, job: EffectiveJob, to: SendTo, context: JobContext) -> None:
        """Send the job's message. Its deduplication key has the second of the run, so a repeated run sends it once."""
        producer, dedups = await self._producer(to.pipeline)
        key = f"{self._spec.name}/{job.name}/{context.due}" if dedups else None
        await producer.send(to.message, key=key, timeout=context.remaining)

    async def _producer(self, pipeline: str) -> tuple[Producer, bool]:
        if pipeline not in self._producers:
            async with self._lock:
                if pipeline not in self._producers:
                    resolved = await asyncio.to_thread(self._find_pipeline, pipeline)
                    producer = await self._lifespans.enter_async_context(
                        Producer(resolved, credentials=self._credentials)
                    )
                    self._producers[pipeline] = producer, resolved.spec.message.dedup is not None
        return self._producers[pipeline]

    async def _handler(self, name: str) -> Call:
        async with self._lock:
            if name not in self._handlers:
                loaded = self._loaded[name] if name in self._loaded else await asyncio.to_thread(self._load, name)
                if loaded.lifespan is not None and loaded.lifespan not in self._entered:
                    await self._lifespans.enter_async_context(loaded.lifespan())
                    self._entered.add(loaded.lifespan)
                self._handlers[name] = call_of(loaded, lambda: self._threads)
        return self._handlers[name]

    def _load(self, name: str) -> LoadedFunction:
        if name not in self._loaded:
            code = CodeReference(
                name, "handler", f"`{self._spec.name}`", "run this where the code is, or name its folder by `--path`"
            )
            self._loaded[name] = function_of(code, "job", self._paths)
        return self._loaded[name]
