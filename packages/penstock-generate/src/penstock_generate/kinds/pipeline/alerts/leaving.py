"""How workers leave."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import SHARE, Alert, Series
from penstock_generate.rendering.promql import number
from penstock_spec.kinds.pipeline.metrics import shutdown, stream
from penstock_spec.kinds.pipeline.spec import Pipeline


def of(spec: Pipeline, ours: Series) -> Iterator[Alert]:
    """How workers leave."""
    time = spec.shutdown.grace.seconds - spec.shutdown.margin.seconds
    yield Alert(
        "PenstockDrainSlow",
        "warning",
        ours.gauge(shutdown.DRAIN_SECONDS),
        ">",
        time * SHARE,
        0,
        "A worker takes long to leave.",
        f"It has drained for {{value}} s; after {number(time)} s (grace less margin) what still runs is cut off.",
        "s",
    )
    yield Alert(
        "PenstockDrainCutOff",
        "warning",
        ours.risen(stream.CUT_OFF, 60),  # not what a worker counts: it is gone before anybody asks
        ">=",
        1,
        0,
        "Drains cut off what runs.",
        f"{{value}} messages were given back at the end of the grace ({spec.shutdown.grace}).",
    )
