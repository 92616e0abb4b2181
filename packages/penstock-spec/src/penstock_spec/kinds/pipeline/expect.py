"""Tests of the scaling, which the simulator runs."""

from __future__ import annotations

from typing import Annotated, Literal

from penstock_spec.model import Number, Section, about
from penstock_spec.values.bounds import SOME_TIME
from penstock_spec.values.quantities import Duration
from penstock_spec.values.strings import Name, Text

LONGEST = Duration("31d")
"""What is simulated at the most."""


class Traffic(Section):
    """What arrives, for a simulation."""

    pattern: Annotated[
        Literal["steady", "poisson", "day", "burst", "outage"],
        about(
            "Its shape: a steady rate, random arrivals, the curve of a day, one burst, an outage and the flood after.",
            "burst",
        ),
    ]
    rate: Annotated[
        Number,
        about(
            "Messages a second: at the peak of a day or a burst, before and after an outage.", 50, gt=0, le=1_000_000
        ),
    ]
    lasts: Annotated[Duration, about("How long they arrive.", "10m"), SOME_TIME] = Duration("10m")


class Expectation(Section):
    """A test of the scaling, run by the simulator: under this traffic, this must hold."""

    name: Annotated[Text, about("What is expected, in words.", "a morning burst is gone in ten minutes")]
    traffic: Annotated[Traffic, about("What arrives.", {"pattern": "burst", "rate": 500, "lasts": "1m"})]
    handling: Annotated[
        Duration, about("How long a message takes; with `handling_p99`, one in the middle of all.", "2s"), SOME_TIME
    ] = Duration("1s")
    handling_p99: Annotated[
        Duration | None,
        about("One of a hundred takes longer; null where all take as long as `handling` says.", "8s"),
        SOME_TIME,
    ] = None
    pod_start: Annotated[
        Duration, about("From a pod that is made to its first message, on a node that is there.", "10s"), SOME_TIME
    ] = Duration("10s")
    node_start: Annotated[Duration, about("How much longer where a node must come first.", "90s"), SOME_TIME] = (
        Duration("90s")
    )
    node_pods: Annotated[
        int | None, about("Pods that fit on a node; null where there is always room.", 8, ge=1, le=1000)
    ] = None
    environments: Annotated[
        list[Name], about("The environments in which it must hold; all unless said.", ["production"])
    ] = []
    oldest_under: Annotated[Duration | None, about("No message waits longer.", "1m"), SOME_TIME] = None
    replicas_at_most: Annotated[int | None, about("Never more pods.", 20, ge=1)] = None
    busy_stopped_at_most: Annotated[
        int | None, about("No more pods than this are stopped while they work on a message.", 0, ge=0)
    ] = None
    back_to_min_within: Annotated[
        Duration | None,
        about("After the last message the pods are back at the minimum within this time.", "10m"),
        SOME_TIME,
    ] = None
