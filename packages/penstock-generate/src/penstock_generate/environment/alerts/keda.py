"""Alerts on KEDA itself: without it no pipeline scales."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, Alert, OtherNamespaceSeries, Series

PAUSED = 240
"""Minutes after which a pause was probably forgotten."""
LATE = 5
"""Seconds: the usual polling interval."""
ERRORS = 10
"""In 15 minutes; a new ScaledObject may have some."""


def of(here: OtherNamespaceSeries) -> Iterator[Alert]:
    """The alerts of an environment."""
    yield Alert(
        "PenstockKedaDown",
        "critical",
        Series({}).missing("keda_build_info"),
        ">=",
        1,
        5,
        "KEDA is not running.",
        "The metric `keda_build_info` is missing. Either no pipeline scales, or Prometheus does not scrape KEDA.",
    )
    yield Alert(
        "PenstockKedaSlow",
        "warning",
        here.gauge("keda_internal_scale_loop_latency_seconds"),
        ">",
        LATE,
        10,
        "KEDA polls late.",
        "One of its loops runs {value} s late, so pipelines scale up that much later.",
        "s",
    )
    yield Alert(
        "PenstockKedaErrors",
        "warning",
        here.increase("keda_scaled_object_errors_total", QUARTER),
        ">",
        ERRORS,
        5,
        "KEDA reports errors for ScaledObjects.",
        f"{{value}} errors in {QUARTER} minutes in all pipelines; `kubectl describe scaledobject` shows which.",
    )
    yield Alert(
        "PenstockKedaPaused",
        "warning",
        here.gauge("keda_scaled_object_paused", "sum"),
        ">",
        0,
        PAUSED,
        "Scaling has been paused for a long time.",
        "{value} ScaledObjects are paused; their pipelines do not scale.",
    )
