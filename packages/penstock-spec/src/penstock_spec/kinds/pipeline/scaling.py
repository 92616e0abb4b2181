"""How many workers there are, when, and how they leave."""

from __future__ import annotations

from typing import Annotated

from penstock_spec.model import Number, Section, about
from penstock_spec.pods import Grace, SidecarQuitUrl
from penstock_spec.values.bounds import SOME_TIME
from penstock_spec.values.quantities import Duration


class Replicas(Section):
    """The bounds of scaling."""

    min: Annotated[int, about("Pods that are always there; 0 lets the pipeline sleep.", 0, ge=0, le=10_000)] = 0
    max: Annotated[int, about("Pods at most.", 20, ge=1, le=10_000)] = 20


class AtMost(Section):
    """A speed limit on scaling down."""

    pods: Annotated[int, about("Pods that may go.", 2, ge=1, le=10_000)]
    per: Annotated[Duration, about("In this time; Kubernetes takes 30 minutes at the most.", "1m")]


class ScaleDown(Section):
    """How carefully pods are taken away. This is the HPA's behaviour; `cooldown` counts only to zero."""

    window: Annotated[
        Duration, about("The highest need of this time counts, so that a short lull takes no pod.", "5m")
    ] = Duration("5m")
    at_most: Annotated[AtMost | None, about("A speed limit; off unless said.", {"pods": 2, "per": "1m"})] = None


class Boost(Section):
    """More pods while messages have waited too long."""

    when_older_than: Annotated[Duration, about("The age of the oldest message from which it counts.", "30s"), SOME_TIME]
    factor: Annotated[Number, about("The backlog counts this many times.", 2, ge=1, le=100)] = 2


class Fallback(Section):
    """What KEDA holds while Redis answers with errors. It does not cover a Redis that is absent."""

    replicas: Annotated[int, about("Pods to hold.", 3, ge=0, le=10_000)]
    failures: Annotated[int, about("Failed polls in a row before it counts.", 3, ge=1, le=1000)] = 3


class Scaling(Section):
    """From the backlog to a number of pods."""

    replicas: Annotated[Replicas, about("The bounds.", {"min": 0, "max": 20})] = Replicas()
    backlog_per_replica: Annotated[
        int,
        about(
            "Messages that one pod is worth: what could be worked on now, divided by this, is the pods wanted.",
            32,
            ge=1,
            le=1_000_000,
        ),
    ] = 32
    poll: Annotated[
        Duration,
        about(
            "How often KEDA looks while the pipeline sleeps; from one pod on the HPA looks every 15 s by itself.", "5s"
        ),
    ] = Duration("5s")
    cooldown: Annotated[
        Duration, about("How long nothing must have happened before the last pods go; only counts to zero.", "3m")
    ] = Duration("3m")
    scale_down: Annotated[ScaleDown, about("How carefully pods are taken away.", {"window": "5m"})] = ScaleDown()
    boost: Annotated[
        Boost | None,
        about(
            "More pods while messages have waited too long; off unless said.", {"when_older_than": "30s", "factor": 2}
        ),
    ] = None
    fallback: Annotated[
        Fallback | None,
        about(
            "What to hold while Redis answers with errors; null holds what is there.",
            {"replicas": 3},
            derived="{replicas: max(1, <scaling.replicas.min>)}",
        ),
    ] = None
    protect_busy: Annotated[
        bool, about("Set pod-deletion costs, so that idle pods go first. The janitor then may patch pods.", True)
    ] = False
    paused: Annotated[bool, about("Stop scaling where it is.", True)] = False


class PipelineShutdown(Section):
    """How a worker leaves: it stops reading, finishes or gives back, and goes."""

    grace: Grace = Duration("90s")
    margin: Annotated[Duration, about("The end of the grace, kept for giving back and closing.", "10s"), SOME_TIME] = (
        Duration("10s")
    )
    progress: Annotated[Duration, about("How often a draining worker says what still runs.", "30s"), SOME_TIME] = (
        Duration("30s")
    )
    sidecar_quit_url: SidecarQuitUrl = None


class Ghosts(Section):
    """Consumers whose pod is gone."""

    idle: Annotated[
        Duration,
        about("A foreign consumer must have been idle for this long, and its pod gone, to be removed.", "35m"),
        SOME_TIME,
    ] = Duration("35m")
    every: Annotated[Duration, about("How often they are looked for.", "1h"), SOME_TIME] = Duration("1h")
    dry_run: Annotated[bool, about("Say what would be removed, and remove nothing.", True)] = False


class Trim(Section):
    """Taking finished entries away where history is kept."""

    every: Annotated[Duration, about("How often.", "1h"), SOME_TIME] = Duration("1h")


class Janitor(Section):
    """What is tidied for this pipeline, and how often."""

    ghosts: Annotated[Ghosts, about("Consumers whose pod is gone.", {"idle": "35m", "every": "1h"})] = Ghosts()
    trim: Annotated[Trim, about("Taking finished entries away.", {"every": "1h"})] = Trim()


class PipelineAlerts(Section):
    """When a person is told."""

    backlog_age: Annotated[Duration, about("The oldest message has waited this long.", "5m"), SOME_TIME] = Duration(
        "5m"
    )
    dead_letters: Annotated[int, about("This many new dead letters within a quarter of an hour.", 1, ge=1)] = 1
