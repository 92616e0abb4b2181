"""KEDA itself: without it every pipeline stays as large as it is."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, Alert, Elsewhere, Series

PAUSED = 240
"""Minutes after which a pause was probably forgotten."""
LATE = 5
"""Seconds: as long as a poll usually is."""
ERRORS = 10
"""In a quarter of an hour; a ScaledObject that has just been made may have some."""


def of(here: Elsewhere) -> Iterator[Alert]:
    """KEDA itself: without it every pipeline stays as large as it is."""
    yield Alert(
        "PenstockKedaDown",
        "critical",
        Series({}).missing("keda_build_info"),
        ">=",
        1,
        5,
        "KEDA is not there.",
        "Nobody tells `keda_build_info`: no pipeline grows, shrinks, or wakes from zero; or nobody scrapes KEDA.",
    )
    yield Alert(
        "PenstockKedaSlow",
        "warning",
        here.gauge("keda_internal_scale_loop_latency_seconds"),
        ">",
        LATE,
        10,
        "KEDA is late.",
        "A loop of its runs {value} s behind its time, and pipelines grow as much later.",
        "s",
    )
    yield Alert(
        "PenstockKedaErrors",
        "warning",
        here.grown("keda_scaled_object_errors_total", QUARTER),
        ">",
        ERRORS,
        5,
        "KEDA fails with ScaledObjects.",
        f"{{value}} errors in {QUARTER} minutes over all pipelines; `kubectl describe scaledobject` says which.",
    )
    yield Alert(
        "PenstockKedaPaused",
        "warning",
        here.gauge("keda_scaled_object_paused", "sum"),
        ">",
        0,
        PAUSED,
        "Scaling is paused for long.",
        "{value} ScaledObjects are paused, and stay as large as they are.",
    )
