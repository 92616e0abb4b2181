"""Runs pods of a scheduler in the test's own process: real classes, a real Redis, one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from targets import Target

from penstock.clocks import CLOCKS, Clocks
from penstock.observe.collector import Collector
from penstock.observe.metrics import Metrics
from penstock.observe.readiness import Readiness
from penstock.pod.dependencies import Dependencies
from penstock.scheduler.context import JobContext
from penstock.scheduler.job_list import JobLister
from penstock.scheduler.job_runner import JobRunner
from penstock.scheduler.resolved import ResolvedScheduler
from penstock.scheduler.scheduler import Scheduler
from penstock.wire.credentials import Credentials
from penstock.wire.link import Link
from penstock_spec.failures.classes import NO_CLASS
from penstock_spec.kinds.scheduler import Scheduler as Spec
from penstock_spec.kinds.scheduler.derive import derive
from penstock_spec.kinds.scheduler.effective import EffectiveJob
from penstock_spec.kinds.scheduler.failures import STANDARD
from penstock_spec.platform import Environment

Handle = Callable[[EffectiveJob, JobContext], Coroutine[Any, Any, None]]


class InLoop:
    """A side loop that is the test's own event loop."""

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return asyncio.get_running_loop().create_task(work)

    def call(self, function: Callable[..., object], *args: object) -> None:
        asyncio.get_running_loop().call_soon(function, *args)


class Given(JobRunner):
    """Runs a function of the test as the handler."""

    def __init__(self, spec: Spec, handle: Handle) -> None:
        super().__init__(spec, (), ThreadPoolExecutor(1), _no_pipeline, Credentials())
        self._handle = handle

    async def run(self, job: EffectiveJob, context: JobContext) -> None:
        await self._handle(job, context)


def _no_pipeline(name: str) -> Any:  # noqa: ANN401 - never returns
    raise AssertionError(name)


def spec_of(**sections: Any) -> Spec:  # noqa: ANN401 - sections of a spec
    """A scheduler with these sections; the test provides its handler."""
    assert list(derive({}))
    return Spec.model_validate(
        {
            "kind": "scheduler",
            "name": "inside",
            "owner": {"team": "tests"},
            "image": "registry.example/trial:1.0.0",
            "keys": {"hash_tag": "inside"},
            "failures": {"classes": dict(STANDARD)},
            **sections,
        }
    )


def pod(  # noqa: PLR0913 - all dependencies of a pod
    target: Target,
    spec: Spec,
    handle: Handle,
    host: str,
    *,
    link: Callable[[str], Link] | None = None,
    clocks: Clocks = CLOCKS,
) -> Scheduler:
    """Create a pod in the running event loop."""
    environment = Environment.model_validate({"namespace": "tests", "redis": target.redis.model_dump(mode="json")})
    resolved = ResolvedScheduler(spec, "dev", environment, Path("inside.yaml"))
    given = {"class": [*spec.failures.classes, NO_CLASS]}
    dependencies = Dependencies(
        link=link or (lambda name: target.link(resolved.keys.waiting, name)),
        side=InLoop(),
        metrics=Metrics.of("scheduler", pipeline=spec.name, collector=Collector(), given=given),
        readiness=Readiness(),
        host=host,
        clocks=clocks,
    )
    return Scheduler(resolved, JobLister(spec), Given(spec, handle), dependencies)
