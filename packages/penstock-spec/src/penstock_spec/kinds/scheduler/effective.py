"""A job with the defaults of all jobs, for the rules and the runtime alike."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock_spec.kinds.scheduler.job import Job, JobDefaults, Missed, Overlap, SendTo
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.values.quantities import Duration

CRON_TIMEOUT = Duration("5m")
"""The timeout of a cron job that sets none."""


@dataclass(frozen=True, slots=True)
class EffectiveJob:
    """One job with all defaults. If the rules pass, it has `every` or `cron`, and `handler` or `send`."""

    name: str
    every: Duration | None
    cron: str | None
    time_zone: str
    missed: Missed
    overlap: Overlap
    error_interval: Duration | None
    """None: the same as after any other run."""
    timeout: Duration
    priority: int
    shard: int
    labels: Mapping[str, str]
    args: Mapping[str, Any]
    handler: str | None
    send: SendTo | None
    threshold: Duration
    """How long after its deadline it is cancelled."""


def effective(spec: Scheduler, job: Job) -> EffectiveJob:
    """The job with the defaults of `each`. A job with its own `every` or `cron` inherits neither of them."""
    each = spec.each
    has_time = job.every is not None or job.cron is not None
    every, cron = (job.every, job.cron) if has_time else (each.every, each.cron)
    return EffectiveJob(
        name=job.name,
        every=every,
        cron=cron,
        time_zone=job.time_zone or each.time_zone,
        missed=job.missed or each.missed,
        overlap=job.overlap or each.overlap,
        error_interval=job.error_interval or each.error_interval,
        timeout=job.timeout or each.timeout or every or CRON_TIMEOUT,
        priority=each.priority if job.priority is None else job.priority,
        shard=shard_of(job.name, spec.shards.count) if job.shard is None else job.shard,
        labels=job.labels,
        args=job.args,
        handler=None if job.send else job.handler or spec.handler,
        send=job.send,
        threshold=threshold(spec, job.name),
    )


def jobs_of(spec: Scheduler) -> Sequence[Job]:
    """The jobs in the spec as written; none if a function lists them."""
    return spec.jobs if isinstance(spec.jobs, list) else ()


def effective_jobs(spec: Scheduler) -> tuple[EffectiveJob, ...]:
    """The jobs in the spec, each with its defaults."""
    return tuple(effective(spec, job) for job in jobs_of(spec))


def jobs_by_path(spec: Scheduler) -> Iterator[tuple[str, JobDefaults | Job]]:
    """The defaults for all jobs and each listed job, by path."""
    yield "each", spec.each
    for index, job in enumerate(jobs_of(spec)):
        yield f"jobs[{index}]", job


def runs(spec: Scheduler, name: str) -> bool:
    """Whether the patterns let a job run. Disabled overrides enabled."""
    patterns = spec.patterns
    return matches(patterns.enabled, name) and not matches(patterns.disabled, name)


def matches(pattern: str, name: str) -> bool:
    """Whether a pattern matches the whole name. An empty pattern matches none."""
    return bool(pattern) and re.fullmatch(pattern, name) is not None


def threshold(spec: Scheduler, name: str) -> Duration:
    """How long after its deadline a job is cancelled."""
    zombies = spec.cleanup.zombies
    return zombies.exceptional.threshold if matches(zombies.exceptional.pattern, name) else zombies.threshold


def shard_of(name: str, count: int) -> int:
    """The shard of a job by its name, the same in every process and version."""
    return zlib.crc32(name.encode()) % count
