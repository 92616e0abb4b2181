"""How a pod takes jobs and runs them."""

from __future__ import annotations

from typing import Annotated

from penstock_spec.kinds.scheduler.job import MOST_SHARDS
from penstock_spec.kinds.scheduler.strings import Pattern
from penstock_spec.model import Number, Section, about
from penstock_spec.values.bounds import A_SECOND, SOME_TIME
from penstock_spec.values.quantities import Duration
from penstock_spec.values.strings import Handler


class SchedulerWork(Section):
    """How a pod takes jobs and runs them."""

    concurrency: Annotated[
        int, about("Jobs that one pod runs at a time; 0 or less is without a bound.", 100, le=100_000)
    ] = 100
    interval: Annotated[Duration, about("How often a pod looks for what is due.", "1s"), SOME_TIME] = Duration("1s")
    batch: Annotated[
        int,
        about(
            "Names that one script moves at the most, so that none keeps Redis from its other work.", 250, ge=1, le=250
        ),
    ] = 250
    scan_factor: Annotated[
        Number,
        about(
            "Where due jobs belong to other shards, a pod looks at this many times more of them than it may take.",
            4,
            ge=0,
            le=100,
        ),
    ] = 4
    lease: Annotated[
        Duration,
        about(
            "A pod that says nothing for this long is taken for lost; each of its jobs is due again at its deadline.",
            "30s",
        ),
        SOME_TIME,
    ] = Duration("30s")
    clock: Annotated[
        Duration,
        about("How long a pod trusts what it measured of the difference between its clock and Redis's.", "10s"),
        SOME_TIME,
    ] = Duration("10s")


class Patterns(Section):
    """Which jobs run, by name. A pattern takes a name when it matches all of it."""

    enabled: Annotated[Pattern, about("Jobs that run.", "aws/.*")] = ".*"
    disabled: Annotated[Pattern, about("Jobs that do not, even where they are enabled; nothing matches none.", "")] = ""


class Shards(Section):
    """Parts of the jobs, for pods that take only some of them."""

    count: Annotated[int, about("Into how many parts jobs are put, numbered from 0.", 4, ge=1, le=MOST_SHARDS)] = 1
    mine: Annotated[
        Handler | None,
        about(
            "A function that tells which of them this pod takes, as a list of numbers; it is asked at each refresh. "
            "Without it a pod takes all.",
            "caching.shards:mine",
        ),
    ] = None


class Refresh(Section):
    """Holding what is registered against what should be: jobs, patterns and shards may change while pods run."""

    every: Annotated[Duration, about("How often.", "30s"), A_SECOND] = Duration("30s")
    budget: Annotated[Duration, about("The most that one pass takes; `0s` is as long as it needs.", "5s")] = Duration(
        "0s"
    )


class Jitter(Section):
    """Changes at random, so that what begins together does not stay together."""

    registration: Annotated[
        Duration, about("A new job is due at any time within this, rather than at once.", "30s")
    ] = Duration("0s")
    shutdown: Annotated[
        Duration, about("A job that a leaving pod gives back is due at any time within this.", "5s")
    ] = Duration("0s")
    failure: Annotated[
        Number, about("Waits after failures are changed at random by up to this share.", 0.1, ge=0, le=1)
    ] = 0.1


class Breakers(Section):
    """Two circuit breakers: one for taking jobs, one for handing them back. An open one asks nothing of Redis."""

    enabled: Annotated[bool, about("False never stops asking.", True)] = True
    failures: Annotated[
        int,
        about("Failures that open it; one that was waited for counts once more for each second.", 5, ge=1, le=10_000),
    ] = 5
    within: Annotated[Duration, about("They count when they come within this time.", "10s"), SOME_TIME] = Duration(
        "10s"
    )
    cooldown: Annotated[
        Duration, about("How long it stays open before it lets something through.", "30s"), SOME_TIME
    ] = Duration("30s")
    half_open: Annotated[
        Duration, about("How long it then watches for another failure before it is closed.", "5s"), SOME_TIME
    ] = Duration("5s")


class Recovery(Section):
    """Next runs that Redis did not take, held by the pod and tried again."""

    attempts: Annotated[
        int, about("Tries, one a round; what Redis still does not take is left to the next refresh.", 3, ge=1, le=1000)
    ] = 3


class Health(Section):
    """What a pod says of itself, and when it calls itself degraded."""

    summary: Annotated[Duration, about("How often a line of the log says how it goes; `0s` is never.", "10m")] = (
        Duration("10m")
    )
    overdue_factor: Annotated[
        Number,
        about("It is degraded while the oldest due job has waited for this many times the mean interval.", 2, gt=0),
    ] = 2
    ready_factor: Annotated[
        Number, about("It is degraded while this many times as many jobs are due as it can run at a time.", 10, gt=0)
    ] = 10


class SchedulerAlerts(Section):
    """When a person is told. How overdue and how many ready jobs are too many is said in `health`."""

    degraded_for: Annotated[Duration, about("It has been degraded for this long.", "5m"), SOME_TIME] = Duration("5m")
