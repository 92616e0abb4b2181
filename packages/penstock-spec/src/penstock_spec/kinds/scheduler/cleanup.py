"""Models of the cleanup: hanging jobs and jobs of lost pods."""

from __future__ import annotations

from typing import Annotated

from penstock_spec.kinds.scheduler.strings import Pattern
from penstock_spec.model import Section, about
from penstock_spec.values.bounds import MIN_1MS, MIN_1S
from penstock_spec.values.quantities import Duration

Budget = Annotated[Duration, about("The maximum duration of one pass; `0s` means no limit.", "5s")]


class ExceptionalJobs(Section):
    """Jobs with a longer threshold before they are cancelled."""

    pattern: Annotated[Pattern, about("A pattern of their names. An empty pattern matches none.", "reports/.*")] = ""
    threshold: Annotated[Duration, about("How long after its deadline such a job is cancelled.", "60m")] = Duration(
        "60m"
    )


class Zombies(Section):
    """Jobs that still run long after their deadline. Each pod cancels its own."""

    enabled: Annotated[bool, about("Whether zombies are cancelled.", True)] = True
    threshold: Annotated[Duration, about("How long after its deadline a job is cancelled.", "30s")] = Duration("30s")
    every: Annotated[
        Duration, about("How often a pod scans for zombies, in addition to the timer of each job.", "5m"), MIN_1S
    ] = Duration("5m")
    budget: Budget = Duration("0s")
    abandon_after: Annotated[
        Duration,
        about(
            "How long a job may ignore its cancellation before it is abandoned and its permit is returned. It "
            "keeps its job until it ends or its pod does. With `work.isolation: process` it is killed instead.",
            "30s",
        ),
        MIN_1MS,
    ] = Duration("30s")
    exceptional: Annotated[
        ExceptionalJobs, about("Jobs with a longer threshold.", {"pattern": "reports/.*", "threshold": "60m"})
    ] = ExceptionalJobs()


class Orphans(Section):
    """Jobs of lost pods. One pod, the leader, makes them due again; if it does not, any pod does."""

    enabled: Annotated[
        bool, about("Whether orphans are made due again; otherwise they stay in the working set.", True)
    ] = True
    threshold: Annotated[
        Duration,
        about(
            "How long after its deadline a job of a living pod becomes due again if the pod does not report that the "
            "job still runs. A job of a lost pod is due again as soon as the pod's lease has expired.",
            "10m",
        ),
    ] = Duration("10m")
    wait_for_deadline: Annotated[
        bool,
        about(
            "Let a job of a lost pod wait until its deadline. A pod that is only cut off from Redis then has until the "
            "deadline to end a run that ignores its cancellation.",
            True,
        ),
    ] = False
    every: Annotated[
        Duration,
        about(
            "How often the leader looks at all jobs, also for foreign entries. It looks for expired leases and for "
            "deadlines several times per lease.",
            "5m",
        ),
        MIN_1S,
    ] = Duration("5m")
    leadership: Annotated[
        Duration,
        about(
            "How long a pod stays leader without renewing its lock. A value above `work.lease` counts as that.", "2m"
        ),
        MIN_1MS,
    ] = Duration("2m")
    force_all_pods: Annotated[bool, about("Let every pod look for orphans in its own shards.", True)] = False
    remove_numeric: Annotated[
        bool,
        about(
            "Remove entries whose name consists of digits only. Such entries are a sign of corruption, not jobs.", True
        ),
    ] = True
    budget: Budget = Duration("0s")


class Cleanup(Section):
    """The cleanup of hanging jobs and of jobs of lost pods."""

    zombies: Annotated[Zombies, about("Jobs that still run long after their deadline.", {"threshold": "30s"})] = (
        Zombies()
    )
    orphans: Annotated[Orphans, about("Jobs of lost pods.", {"every": "5m"})] = Orphans()
