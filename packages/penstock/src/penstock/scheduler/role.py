"""The role of a scheduler: runs recurring jobs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from penstock import __version__
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.observe.metrics import Metrics
from penstock.pod.role import Limits, Pod, Program, Role
from penstock.scheduler.job_list import JobLister
from penstock.scheduler.job_runner import JobRunner
from penstock.scheduler.resolved import FindPipeline, ResolvedScheduler
from penstock.scheduler.scheduler import Scheduler
from penstock.scripts import Script
from penstock_spec.failures.classes import NO_CLASS
from penstock_spec.kinds.scheduler.effective import effective_jobs
from penstock_spec.kinds.scheduler.metrics import process
from penstock_spec.kinds.scheduler.spec import Scheduler as Spec
from penstock_spec.kinds.scheduler.work import Patterns

LIVE_LIMIT = 30.0
"""Seconds without a heartbeat before the pod counts as blocked, if all jobs take less than that."""
THREADS = 10_000
"""Threads for plain functions, including abandoned ones that do not end; each starts when it is needed."""

log = Log(logging.getLogger("penstock.scheduler"))


def scheduler_role(
    scheduler: ResolvedScheduler,
    paths: Sequence[Path],
    find_pipeline: FindPipeline,
    patterns: Callable[[], Patterns],
    log_format: str = "json",
) -> Role:
    """The team's code is in the current folder or in `paths`; `patterns` returns which jobs are enabled now."""
    spec, digest = scheduler.spec, scheduler.digest
    limit = longest(spec)

    def build(pod: Pod) -> Program:
        label_values = {"class": [*spec.failures.classes, NO_CLASS]}
        metrics = Metrics.of("scheduler", pipeline=spec.name, collector=pod.collector, given=label_values)
        pod.announce(metrics, digest, process.INFO, process.LOOP_LAG_SECONDS)

        def sent_whole(script: Script) -> None:
            metrics.counter(process.SCRIPTS_SENT_WHOLE, script.name).add()
            log.event(Event.REDIS_SCRIPT_EVICTED, script=script.name)

        threads = ThreadPoolExecutor(THREADS, thread_name_prefix="penstock-handler")
        lister = JobLister(spec, paths, patterns)
        calls = JobRunner(spec, paths, threads, find_pipeline, pod.start.credentials, log_format)
        dependencies = pod.dependencies(scheduler, metrics, process.REDIS_SECONDS, sent_whole)
        program = Scheduler(scheduler, lister, calls, dependencies)
        return Program(
            run=program.run,
            drain=program.stop,
            # A scheduler without jobs has no waiting set, and is healthy.
            redis=pod.redis_check(scheduler, "ZCARD", scheduler.keys.waiting, field="waiting_set"),
            is_busy=lambda: program.busy > 0,
        )

    return Role(
        log=log,
        started=Event.SCHEDULER_STARTED,
        stopped=Event.SCHEDULER_STOPPED,
        fields={"environment": scheduler.environment, "version": __version__, "digest": digest},
        limits=Limits(limit, limit),
        build=build,
        sidecar_quit_url=spec.shutdown.sidecar_quit_url,
    )


def longest(spec: Spec) -> float:
    """Seconds for which a handler may block the event loop: the longest timeout of a job with its threshold."""
    jobs = [one.timeout.seconds + one.threshold.seconds for one in effective_jobs(spec)]
    each = spec.each.timeout or spec.each.every
    return max(LIVE_LIMIT, *jobs, each.seconds + spec.cleanup.zombies.threshold.seconds if each else 0.0)
