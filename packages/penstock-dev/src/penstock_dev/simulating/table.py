"""The numbers of runs, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from penstock.operating.table import Column, Table
from penstock_dev.simulating.expectations import seconds
from penstock_dev.simulating.simulation import SimulationResult
from penstock_scaling.simulator import Summary
from penstock_spec.values.display import count

QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "longest": 1.0}
"""Shares of the messages for the quantiles of the wait."""
SMALL = 10
"""Pod-hours."""


def table(results: Sequence[SimulationResult], target: int | None) -> Table:
    """A column per run, a row per number."""
    cells = [_cells(one.run.summary, max(one.run.series.waiting), target) for one in results]
    labels = list(cells[0])
    rows = [[each[label] for each in cells] for label in labels]
    return Table([Column(one.name, right=True) for one in results], rows, labels, leads=True)


def _cells(one: Summary, max_waiting: int, target: int | None) -> dict[str, str]:
    over = {} if target is None else {f"time over {seconds(target)}": seconds(one.over_target)}
    left = one.sent - one.done
    return {
        "messages": count(one.sent),
        **({"unfinished at the end": count(left)} if left else {}),
        **{f"wait, {name}": seconds(one.waited(share)) for name, share in QUANTILES.items()},
        **over,
        "waiting, max": count(max_waiting),
        "replicas, mean": f"{one.mean_replicas:.1f}",
        "replicas, max": str(one.max_replicas),
        "pod-hours": hours(one.pod_hours),
        "scaled up": count(one.scaled_up),
        "scaled down": count(one.scaled_down),
        "busy pods stopped": count(one.busy_pods_stopped),
        "messages given back": count(one.given_back),
        **({"messages taken over": count(one.taken_over)} if one.taken_over else {}),
        "back at minimum after": "never" if one.back_at_min is None else seconds(one.back_at_min),
    }


def hours(number: float) -> str:
    """Pod-hours, with more digits for small numbers."""
    return f"{number:.2f}" if number < SMALL else f"{number:.1f}"


def to_json(result: SimulationResult) -> dict[str, Any]:
    """The numbers for machines; times in seconds."""
    one = result.run.summary
    return {
        "name": result.name,
        "lasted": one.lasted,
        "sent": one.sent,
        "done": one.done,
        "waited": {name: one.waited(share) for name, share in QUANTILES.items()},
        "over_target": one.over_target,
        "waiting_at_most": max(result.run.series.waiting),
        "replicas": {"mean": round(one.mean_replicas, 3), "most": one.max_replicas},
        "pod_hours": round(one.pod_hours, 3),
        "scaled": {"up": one.scaled_up, "down": one.scaled_down},
        "busy_pods_stopped": one.busy_pods_stopped,
        "given_back": one.given_back,
        "taken_over": one.taken_over,
        "back_at_min": one.back_at_min,
    }
