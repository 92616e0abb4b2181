"""Alerts on maintenance."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, Alert, Query, Series
from penstock_spec.kinds.scheduler.metrics import cleanup
from penstock_spec.kinds.scheduler.spec import Scheduler


def of(spec: Scheduler, ours: Series) -> Iterator[Alert]:
    """The alerts of a spec."""
    orphans = spec.cleanup.orphans
    if orphans.enabled:
        yield Alert(
            "PenstockOrphansReturned",
            "warning",
            ours.increase(cleanup.ORPHANS_RETURNED, QUARTER),
            ">=",
            1,
            0,
            "Pods were lost while they ran jobs.",
            "Jobs of lost pods that were made due again: {value}.",
        )
    if spec.replicas > 0 and orphans.enabled and not orphans.force_all_pods:
        leads = ours.gauge(cleanup.LEADER, "sum")
        yield Alert(
            "PenstockNoLeader",
            "critical",
            Query(f"({leads.text} or vector(0))", leads.test_series),
            "<",
            1,
            max(3, -(-orphans.leadership.amount // 60_000) + 1),
            "No pod is the leader.",
            "Jobs of lost pods run later than they could; foreign entries and removed jobs stay.",
        )
    yield Alert(
        "PenstockTidyingErrors",
        "warning",
        ours.increase(cleanup.PASS_ERRORS, QUARTER),
        ">",
        5,
        0,
        "Maintenance fails.",
        "{value} passes failed in 15 minutes; the log says why.",
    )
