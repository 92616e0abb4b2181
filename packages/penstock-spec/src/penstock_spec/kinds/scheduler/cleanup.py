"""What is tidied: jobs that hang, and jobs of pods that are gone."""

from __future__ import annotations

from typing import Annotated

from penstock_spec.kinds.scheduler.strings import Pattern
from penstock_spec.model import Section, about
from penstock_spec.values.bounds import A_SECOND, SOME_TIME
from penstock_spec.values.quantities import Duration

Budget = Annotated[Duration, about("The most that one pass takes; `0s` is as long as it needs.", "5s")]


class Exceptional(Section):
    """Jobs that may hang for longer before they are cancelled."""

    pattern: Annotated[Pattern, about("Their names; nothing matches none.", "reports/.*")] = ""
    threshold: Annotated[Duration, about("How long after its deadline such a job is cancelled.", "60m")] = Duration(
        "60m"
    )


class Zombies(Section):
    """Jobs that still run when their deadline is long over. Each pod looks after its own."""

    enabled: Annotated[bool, about("False lets them run on.", True)] = True
    threshold: Annotated[Duration, about("How long after its deadline a job is cancelled.", "30s")] = Duration("30s")
    every: Annotated[
        Duration, about("How often a pod looks for them, beside the timer that each job has.", "5m"), A_SECOND
    ] = Duration("5m")
    budget: Budget = Duration("0s")
    abandon_after: Annotated[
        Duration,
        about("What ignores being cancelled is abandoned after this, and its permit returned.", "30s"),
        SOME_TIME,
    ] = Duration("30s")
    exceptional: Annotated[
        Exceptional, about("Jobs that may hang for longer.", {"pattern": "reports/.*", "threshold": "60m"})
    ] = Exceptional()


class Orphans(Section):
    """Jobs of pods that are gone. One pod, the leader, looks after them for all."""

    enabled: Annotated[bool, about("False leaves them in the working set.", True)] = True
    threshold: Annotated[
        Duration,
        about(
            "How long after its deadline a job is due again though its pod lives; one of a lost pod is as soon as the "
            "deadline is over.",
            "10m",
        ),
    ] = Duration("10m")
    every: Annotated[Duration, about("How often the leader looks.", "5m"), A_SECOND] = Duration("5m")
    leadership: Annotated[Duration, about("How long a leader that says nothing stays one.", "2m"), SOME_TIME] = (
        Duration("2m")
    )
    force_all_pods: Annotated[bool, about("Every pod looks, each at its own shards.", True)] = False
    remove_numeric: Annotated[
        bool, about("Remove entries whose name is digits alone: no job has such a name, and damage once did.", True)
    ] = True
    budget: Budget = Duration("0s")


class Cleanup(Section):
    """What is tidied, and how often."""

    zombies: Annotated[Zombies, about("Jobs that hang.", {"threshold": "30s"})] = Zombies()
    orphans: Annotated[Orphans, about("Jobs of pods that are gone.", {"every": "5m"})] = Orphans()
