"""How a pod takes jobs and runs them."""

from __future__ import annotations

from typing import Annotated, Literal

from penstock_spec.kinds.scheduler.job import MOST_SHARDS
from penstock_spec.kinds.scheduler.strings import Pattern
from penstock_spec.model import Number, Section, about
from penstock_spec.values.bounds import MIN_1MS, MIN_1S, MIN_16MI
from penstock_spec.values.quantities import Duration, Size
from penstock_spec.values.strings import Handler


class SchedulerWork(Section):
    """How a pod takes jobs and runs them."""

    concurrency: Annotated[
        int, about("The number of jobs that one pod runs at a time; 0 or less means no limit.", 100, le=100_000)
    ] = 100
    interval: Annotated[Duration, about("How often a pod checks for due jobs.", "1s"), MIN_1MS] = Duration("1s")
    batch: Annotated[
        int,
        about(
            "The maximum number of jobs that one script moves, so that no script blocks Redis for long.",
            250,
            ge=1,
            le=250,
        ),
    ] = 250
    scan_factor: Annotated[
        Number,
        about(
            "If some due jobs belong to other shards, a pod reads this many times more due jobs than it can take.",
            4,
            ge=0,
            le=100,
        ),
    ] = 4
    lease: Annotated[
        Duration,
        about(
            "How long a pod counts as alive after it last renewed its lease. After that, its jobs are due again.",
            "30s",
        ),
        MIN_1MS,
    ] = Duration("30s")
    isolation: Annotated[
        Literal["none", "process"],
        about(
            "`process` runs each handler in a child process, so that a crash or a blocked interpreter lock fails one "
            "run only, and a run that ignores its cancellation is killed. Jobs that send a message need none.",
            "process",
        ),
    ] = "none"
    memory_limit: Annotated[
        Size | None,
        about(
            "The maximum memory of a run in a child process, in addition to what the process needs to start. "
            "Requires `isolation: process`.",
            "512Mi",
        ),
        MIN_16MI,
    ] = None


class History(Section):
    """The last runs of each job, for `penstock scheduler history`. Errors are kept by type and place, without text."""

    keep: Annotated[
        int,
        about(
            "The number of runs to keep for each job; 0 keeps none. With 5 runs, 100,000 jobs need about 60 MB of "
            "Redis memory.",
            20,
            ge=0,
            le=100,
        ),
    ] = 5
    age: Annotated[Duration, about("Runs that ended longer ago than this are removed.", "7d"), MIN_1S] = Duration("7d")


class Patterns(Section):
    """Which jobs run, by name. A pattern must match the whole name."""

    enabled: Annotated[Pattern, about("Jobs that run.", "aws/.*")] = ".*"
    disabled: Annotated[
        Pattern, about("Jobs that do not run, even if they are enabled. An empty pattern matches none.", "")
    ] = ""


class Shards(Section):
    """Splits the jobs into parts, for pods that take only some of them."""

    count: Annotated[int, about("The number of shards, numbered from 0.", 4, ge=1, le=MOST_SHARDS)] = 1
    mine: Annotated[
        Handler | None,
        about(
            "A function that returns the list of shards that this pod takes. It is called at each "
            "refresh. Without it a pod takes all.",
            "caching.shards:mine",
        ),
    ] = None


class Refresh(Section):
    """How registered jobs are compared with the jobs of the spec, which may change while pods run."""

    every: Annotated[Duration, about("How often the jobs are compared.", "30s"), MIN_1S] = Duration("30s")
    budget: Annotated[Duration, about("The maximum duration of one pass; `0s` means no limit.", "5s")] = Duration("0s")


class Jitter(Section):
    """Random delays that spread the load."""

    registration: Annotated[
        Duration, about("A new job first becomes due at a random time within this, instead of immediately.", "30s")
    ] = Duration("0s")
    shutdown: Annotated[
        Duration, about("A job that a stopping pod gives back becomes due at a random time within this.", "5s")
    ] = Duration("0s")
    failure: Annotated[
        Number, about("The maximum random change of waits after failures, as a fraction of them.", 0.1, ge=0, le=1)
    ] = 0.1


class Breakers(Section):
    """Two circuit breakers, for taking jobs and for giving them back. An open one only probes Redis."""

    enabled: Annotated[bool, about("Whether the breakers can open.", True)] = True
    failures: Annotated[
        int,
        about(
            "The number of failures that opens a breaker. A failure after a wait counts once more for "
            "each second of the wait.",
            5,
            ge=1,
            le=10_000,
        ),
    ] = 5
    within: Annotated[Duration, about("Failures count if they happen within this time.", "10s"), MIN_1MS] = Duration(
        "10s"
    )
    cooldown: Annotated[
        Duration,
        about(
            "How long a breaker stays open before it becomes half-open. If Redis did not answer, the breaker "
            "becomes half-open as soon as Redis answers a probe, which a pod sends every second.",
            "30s",
        ),
        MIN_1MS,
    ] = Duration("30s")
    half_open: Annotated[
        Duration,
        about(
            "How long a half-open breaker must see no failure before it closes. At least one call must have succeeded.",
            "5s",
        ),
        MIN_1MS,
    ] = Duration("5s")


class Recovery(Section):
    """How often a pod retries to store next due times that Redis did not accept."""

    attempts: Annotated[
        int,
        about("The number of attempts, one per round. After that the next refresh restores the job.", 3, ge=1, le=1000),
    ] = 3


class Health(Section):
    """The log summary, and when a pod is degraded."""

    summary: Annotated[Duration, about("How often a pod logs a summary; `0s` means never.", "10m")] = Duration("10m")
    overdue_factor: Annotated[
        Number,
        about("A pod is degraded while the oldest due job has waited this many times the mean interval.", 2, gt=0),
    ] = 2
    ready_factor: Annotated[
        Number, about("A pod is degraded while the number of due jobs is this many times its concurrency.", 10, gt=0)
    ] = 10


class SchedulerAlerts(Section):
    """When people are alerted. `health` defines when a pod is degraded."""

    degraded_for: Annotated[
        Duration, about("How long a pod must be degraded before an alert fires.", "5m"), MIN_1MS
    ] = Duration("5m")
