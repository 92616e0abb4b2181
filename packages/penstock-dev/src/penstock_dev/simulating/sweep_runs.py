"""Simulates the values of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.operating.table import Column, Table
from penstock_dev.simulating.case import Case
from penstock_dev.simulating.expectations import seconds
from penstock_dev.simulating.simulation import SimulationResult, simulate_spec
from penstock_dev.simulating.specs import ValidSpecs, with_value
from penstock_dev.simulating.sweep import Candidate, Sweep, try_all
from penstock_dev.simulating.table import hours
from penstock_dev.simulating.table import to_json as result_to_json
from penstock_spec.context import SpecContext, steps
from penstock_spec.reading.scalars import plain

HEADINGS = ("wait, p99", "wait, longest", "over target", "replicas, max", "pod-hours")


@dataclass(frozen=True, slots=True)
class SweepOutcome:
    """The result of a value, or the rule that refused it."""

    result: SimulationResult | None
    refused: str = ""


def run_sweep(
    specs: ValidSpecs, case: Case, sweep: Sweep, target: int, show: Callable[[str], None]
) -> tuple[SimulationResult, list[Candidate[SweepOutcome]]]:
    """Simulate the current spec and each value; `show` gets the progress."""
    path = steps(sweep.field)

    def evaluate(value: str) -> Candidate[SweepOutcome]:
        show(f"{sweep.field}: {value}")
        changed = with_value(specs, path, plain(value))
        if not isinstance(changed, SpecContext):
            return Candidate(value, SweepOutcome(None, f"{changed[0].rule}: {changed[0].says}"), None)
        result = simulate_spec(value, changed, case, target)
        summary = result.run.summary
        cost = None if summary.over_target else (summary.pod_hours, float(summary.waited(1)))
        return Candidate(value, SweepOutcome(result), cost)

    return simulate_spec("current", specs.one(), case, target), try_all(sweep.values, evaluate)


def table(field: str, tried: Sequence[Candidate[SweepOutcome]]) -> Table:
    """A row per value."""
    rows = [_cells(one) for one in tried]
    verdicts = [_verdict(one) for one in tried]
    return Table([Column(field.rpartition(".")[2]), *(Column(one, right=True) for one in HEADINGS)], rows, verdicts)


def _cells(one: Candidate[SweepOutcome]) -> list[str]:
    if one.result.result is None:
        return [one.value, *("-" for _ in HEADINGS)]
    summary = one.result.result.run.summary
    return [
        one.value,
        seconds(summary.waited(0.99)),
        seconds(summary.waited(1)),
        seconds(summary.over_target),
        str(summary.max_replicas),
        hours(summary.pod_hours),
    ]


def _verdict(one: Candidate[SweepOutcome]) -> str:
    if one.result.refused:
        return f"refused by {one.result.refused}"
    return "meets target" if one.cost is not None else "misses target"


def conclusion(field: str, best: Candidate[SweepOutcome] | None, current: SimulationResult, target: int) -> str:
    """The result in two sentences."""
    now = current.run.summary
    meets = "misses the target" if now.over_target else "meets the target"
    today = f"Current value: {hours(now.pod_hours)} pod-hours, longest wait {seconds(now.waited(1))}, {meets}."
    if best is None or best.cost is None:
        return f"No value meets the target of {seconds(target)}. {today}"
    cost, longest = best.cost
    return (
        f"Cheapest value that meets the target of {seconds(target)}: `{field}: {best.value}`, {hours(cost)} "
        f"pod-hours, longest wait {seconds(int(longest))}.\n{today}"
    )


def to_json(one: Candidate[SweepOutcome]) -> dict[str, Any]:
    if one.result.result is None:
        return {"value": one.value, "meets": False, "refused": one.result.refused}
    return {"value": one.value, "meets": one.cost is not None, **result_to_json(one.result.result)}
