"""The janitor, when none of its pods works."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import Alert, Series
from penstock_spec.kinds.pipeline.metrics import janitor


def of(here: Series) -> Iterator[Alert]:
    """The janitor, when none of its pods works."""
    yield Alert(
        "PenstockJanitorAbsent",
        "critical",
        here.missing(janitor.JANITOR_LEADER, "== 1"),
        ">=",
        1,
        3,
        "No janitor leads, for no pipeline.",
        "Delayed and parked messages do not fall due where no worker runs, and nothing is measured of the pipelines.",
    )
