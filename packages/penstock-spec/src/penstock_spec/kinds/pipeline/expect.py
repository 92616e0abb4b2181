"""Models of tests of the scaling, which the simulator runs."""

from __future__ import annotations

from typing import Annotated, Literal

from penstock_spec.model import Number, Section, about
from penstock_spec.values.bounds import MIN_1MS
from penstock_spec.values.quantities import Duration
from penstock_spec.values.strings import Name, Text

LONGEST = Duration("31d")
"""The longest traffic that can be simulated."""


class Traffic(Section):
    """The messages that arrive in a simulation."""

    pattern: Annotated[
        Literal["steady", "poisson", "day", "burst", "outage"],
        about(
            "The shape of the traffic: a constant rate, random arrivals, a daily curve, one burst, or an "
            "outage followed by a flood.",
            "burst",
        ),
    ]
    rate: Annotated[
        Number,
        about(
            "Messages per second: at the peak of a day or a burst, and before and after an outage.",
            50,
            gt=0,
            le=1_000_000,
        ),
    ]
    lasts: Annotated[Duration, about("How long messages arrive.", "10m"), MIN_1MS] = Duration("10m")


class Expectation(Section):
    """A test of the scaling, run by the simulator: under this traffic, these conditions must hold."""

    name: Annotated[Text, about("A description of what is expected.", "a morning burst is gone in ten minutes")]
    traffic: Annotated[Traffic, about("The messages that arrive.", {"pattern": "burst", "rate": 500, "lasts": "1m"})]
    handling: Annotated[
        Duration, about("How long a message takes. With `handling_p99` this is the median.", "2s"), MIN_1MS
    ] = Duration("1s")
    handling_p99: Annotated[
        Duration | None,
        about(
            "How long the slowest of 100 messages take (99th percentile). With null, all messages take "
            "as long as `handling`.",
            "8s",
        ),
        MIN_1MS,
    ] = None
    pod_start: Annotated[
        Duration, about("The time from creating a pod on an existing node to its first message.", "10s"), MIN_1MS
    ] = Duration("10s")
    node_start: Annotated[Duration, about("The additional time if a new node must start first.", "90s"), MIN_1MS] = (
        Duration("90s")
    )
    node_pods: Annotated[
        int | None, about("The number of pods that fit on a node. With null, nodes always have room.", 8, ge=1, le=1000)
    ] = None
    environments: Annotated[
        list[Name], about("The environments in which the conditions must hold; all by default.", ["production"])
    ] = []
    oldest_under: Annotated[Duration | None, about("No message waits this long.", "1m"), MIN_1MS] = None
    replicas_at_most: Annotated[int | None, about("The number of pods never exceeds this.", 20, ge=1)] = None
    busy_stopped_at_most: Annotated[
        int | None, about("At most this many pods are stopped while they run a message.", 0, ge=0)
    ] = None
    back_to_min_within: Annotated[
        Duration | None,
        about("The number of pods is back at the minimum within this time after the last message.", "10m"),
        MIN_1MS,
    ] = None
