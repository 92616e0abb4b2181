"""Tests of the scaling, which the simulator runs."""

from __future__ import annotations

from typing import Annotated, Literal

from penstock_spec.model import Number, Part, about
from penstock_spec.values.bounds import SOME_TIME
from penstock_spec.values.quantities import Duration
from penstock_spec.values.words import Text


class Traffic(Part):
    """What arrives, for a simulation."""

    pattern: Annotated[
        Literal["steady", "poisson", "day", "burst", "outage"],
        about(
            "Its shape: a steady rate, random arrivals, the curve of a day, one burst, an outage and the flood after.",
            "burst",
        ),
    ]
    rate: Annotated[Number, about("Messages a second, at the peak where the shape has one.", 50, gt=0)]
    lasts: Annotated[Duration, about("How long they arrive.", "10m"), SOME_TIME] = Duration("10m")


class Expectation(Part):
    """A test of the scaling, run by the simulator: under this traffic, this must hold."""

    name: Annotated[Text, about("What is expected, in words.", "a morning burst is gone in ten minutes")]
    traffic: Annotated[Traffic, about("What arrives.", {"pattern": "burst", "rate": 500, "lasts": "1m"})]
    handling: Annotated[Duration, about("How long a message takes.", "2s"), SOME_TIME] = Duration("1s")
    oldest_under: Annotated[Duration | None, about("No message waits longer.", "1m"), SOME_TIME] = None
    replicas_at_most: Annotated[int | None, about("Never more pods.", 20, ge=1)] = None
    back_to_min_within: Annotated[
        Duration | None,
        about("After the last message the pods are back at the minimum within this time.", "10m"),
        SOME_TIME,
    ] = None
