"""The alert on a missing janitor."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import Alert, Series
from penstock_spec.kinds.pipeline.metrics import janitor


def of(here: Series) -> Iterator[Alert]:
    """The alerts of an environment."""
    yield Alert(
        "PenstockJanitorAbsent",
        "critical",
        here.missing(janitor.JANITOR_LEADER, "== 1"),
        ">=",
        1,
        3,
        "No janitor is running as leader for any pipeline.",
        "Pipelines at zero pods do not wake up for delayed and parked messages, and no pipeline is measured.",
    )
