"""How many workers run, and how they shut down."""

from __future__ import annotations

from typing import Annotated

from penstock_spec.model import Number, Section, about
from penstock_spec.pods import Grace, SidecarQuitUrl
from penstock_spec.values.bounds import MIN_1MS
from penstock_spec.values.quantities import Duration


class Replicas(Section):
    """The minimum and maximum number of pods."""

    min: Annotated[
        int,
        about(
            "The minimum number of pods. With 0 the pipeline scales to zero while there is no work.", 0, ge=0, le=10_000
        ),
    ] = 0
    max: Annotated[int, about("The maximum number of pods.", 20, ge=1, le=10_000)] = 20


class AtMost(Section):
    """A speed limit for scaling down."""

    pods: Annotated[int, about("The number of pods that may be stopped per period.", 2, ge=1, le=10_000)]
    per: Annotated[Duration, about("The period, at most 30 minutes.", "1m")]


class ScaleDown(Section):
    """How slowly the HPA scales down. The last step to zero depends on `cooldown` instead."""

    window: Annotated[
        Duration,
        about(
            "The HPA uses the highest number of pods needed within this time, so that a short lull stops no pods.", "5m"
        ),
    ] = Duration("5m")
    at_most: Annotated[
        AtMost | None, about("A speed limit for scaling down. Off by default.", {"pods": 2, "per": "1m"})
    ] = None


class Boost(Section):
    """Start more pods while messages have waited too long."""

    when_older_than: Annotated[
        Duration, about("The age of the oldest message above which the boost applies.", "30s"), MIN_1MS
    ]
    factor: Annotated[Number, about("The scaling signal is multiplied by this factor.", 2, ge=1, le=100)] = 2


class Fallback(Section):
    """The number of pods while Redis answers KEDA with errors. It does not cover an unreachable Redis."""

    replicas: Annotated[int, about("The number of pods to run.", 3, ge=0, le=10_000)]
    failures: Annotated[
        int, about("The number of consecutive failed polls after which the fallback applies.", 3, ge=1, le=1000)
    ] = 3


class Scaling(Section):
    """How the number of pods follows from the backlog."""

    replicas: Annotated[Replicas, about("The minimum and maximum number of pods.", {"min": 0, "max": 20})] = Replicas()
    backlog_per_replica: Annotated[
        int,
        about(
            "Messages per pod: the number of pods is the number of messages that could be worked on now, "
            "divided by this.",
            32,
            ge=1,
            le=1_000_000,
        ),
    ] = 32
    poll: Annotated[
        Duration,
        about(
            "How often KEDA checks for work while the pipeline is at zero. From one pod on, the HPA "
            "polls every 15 s by itself.",
            "5s",
        ),
    ] = Duration("5s")
    cooldown: Annotated[
        Duration,
        about(
            "How long a pipeline must be without work before its last pods are stopped. It affects only "
            "the step to zero.",
            "3m",
        ),
    ] = Duration("3m")
    scale_down: Annotated[ScaleDown, about("How slowly the HPA scales down.", {"window": "5m"})] = ScaleDown()
    boost: Annotated[
        Boost | None,
        about(
            "Start more pods while messages have waited too long. Off by default.",
            {"when_older_than": "30s", "factor": 2},
        ),
    ] = None
    fallback: Annotated[
        Fallback | None,
        about(
            "The number of pods while Redis answers KEDA with errors. With null, the number does not change.",
            {"replicas": 3},
            derived="{replicas: max(1, <scaling.replicas.min>)}",
        ),
    ] = None
    protect_busy: Annotated[
        bool,
        about(
            "Set pod deletion costs, so that idle pods are stopped first. The janitor needs permission "
            "to patch pods for this.",
            True,
        ),
    ] = False
    paused: Annotated[bool, about("Stop scaling at the current number of pods.", True)] = False


class PipelineShutdown(Section):
    """How a worker shuts down: it stops reading, finishes or gives back its messages, and exits."""

    grace: Grace = Duration("90s")
    margin: Annotated[
        Duration,
        about("The last part of the grace period, reserved for giving messages back and closing connections.", "10s"),
        MIN_1MS,
    ] = Duration("10s")
    progress: Annotated[
        Duration, about("How often a draining worker logs which messages are still running.", "30s"), MIN_1MS
    ] = Duration("30s")
    sidecar_quit_url: SidecarQuitUrl = None


class Ghosts(Section):
    """Removal of ghosts: foreign consumers whose process is gone."""

    idle: Annotated[
        Duration,
        about("How long a foreign consumer must be idle, with its pod gone, before it is removed.", "35m"),
        MIN_1MS,
    ] = Duration("35m")
    every: Annotated[Duration, about("How often the janitor looks for ghosts.", "1h"), MIN_1MS] = Duration("1h")
    dry_run: Annotated[bool, about("Only log which ghosts would be removed.", True)] = False


class Trim(Section):
    """Trimming of finished entries in streams that keep history."""

    every: Annotated[Duration, about("How often the janitor trims the stream.", "1h"), MIN_1MS] = Duration("1h")


class Janitor(Section):
    """What the janitor cleans up for this pipeline, and how often."""

    ghosts: Annotated[
        Ghosts, about("Removal of foreign consumers whose process is gone.", {"idle": "35m", "every": "1h"})
    ] = Ghosts()
    trim: Annotated[Trim, about("Trimming of finished entries.", {"every": "1h"})] = Trim()


class PipelineAlerts(Section):
    """When people are alerted."""

    backlog_age: Annotated[
        Duration, about("The age of the oldest waiting message above which an alert fires.", "5m"), MIN_1MS
    ] = Duration("5m")
    dead_letters: Annotated[
        int, about("The number of new dead letters within 15 minutes from which an alert fires.", 1, ge=1)
    ] = 1
