"""Alerts on the shutdown of workers."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import SHARE, Alert, Series
from penstock_generate.rendering.promql import number
from penstock_spec.kinds.pipeline.metrics import shutdown, stream
from penstock_spec.kinds.pipeline.spec import Pipeline


def of(spec: Pipeline, ours: Series) -> Iterator[Alert]:
    """The alerts of a spec."""
    time = spec.shutdown.grace.seconds - spec.shutdown.margin.seconds
    yield Alert(
        "PenstockDrainSlow",
        "warning",
        ours.gauge(shutdown.DRAIN_SECONDS),
        ">",
        time * SHARE,
        0,
        "A worker takes long to shut down.",
        f"It has drained for {{value}} s. After {number(time)} s (grace minus margin) its messages are given back.",
        "s",
    )
    yield Alert(
        "PenstockDrainCutOff",
        "warning",
        ours.rise(stream.CUT_OFF, 60),  # not the worker's own counter: it exits before it is scraped
        ">=",
        1,
        0,
        "Workers ran out of time to shut down.",
        f"Running messages given back at the end of the grace period ({spec.shutdown.grace}): {{value}}.",
    )
