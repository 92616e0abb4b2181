"""The values of a sweep, each simulated or refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.operating.table import Column, Table
from penstock_dev.simulating.case import Case
from penstock_dev.simulating.expectations import seconds
from penstock_dev.simulating.simulation import SimulationResult, run
from penstock_dev.simulating.specs import ValidSpecs, with_value
from penstock_dev.simulating.sweep import Candidate, Sweep, try_all
from penstock_dev.simulating.table import hours
from penstock_dev.simulating.table import told as told_result
from penstock_spec.context import SpecContext, steps
from penstock_spec.reading.scalars import plain

HEADINGS = ("waited, p99", "longest", "too old for", "replicas", "pod-hours")


@dataclass(frozen=True, slots=True)
class SweepOutcome:
    """What a value came to, or why it was not simulated."""

    result: SimulationResult | None
    refused: str = ""


def run_sweep(
    specs: ValidSpecs, case: Case, sweep: Sweep, target: int, show: Callable[[str], None]
) -> tuple[SimulationResult, list[Candidate[SweepOutcome]]]:
    """The spec as it is, and with each value; `show` is told how far it has come."""
    path = steps(sweep.field)

    def look(value: str) -> Candidate[SweepOutcome]:
        show(f"{sweep.field}: {value}")
        found = with_value(specs, path, plain(value))
        if not isinstance(found, SpecContext):
            return Candidate(value, SweepOutcome(None, f"{found[0].rule}: {found[0].says}"), None)
        result = run(value, found, case, target)
        sums = result.run.summary
        cost = None if sums.over_target else (sums.pod_hours, float(sums.waited(1)))
        return Candidate(value, SweepOutcome(result), cost)

    return run("as it is", specs.one(), case, target), try_all(sweep.values, look)


def table(field: str, tried: Sequence[Candidate[SweepOutcome]]) -> Table:
    """A line for each value."""
    rows = [_cells(one) for one in tried]
    texts = [_verdict(one) for one in tried]
    return Table([Column(field.rpartition(".")[2]), *(Column(one, right=True) for one in HEADINGS)], rows, texts)


def _cells(one: Candidate[SweepOutcome]) -> list[str]:
    if one.result.result is None:
        return [one.value, *("-" for _ in HEADINGS)]
    sums = one.result.result.run.summary
    return [
        one.value,
        seconds(sums.waited(0.99)),
        seconds(sums.waited(1)),
        seconds(sums.over_target),
        str(sums.max_replicas),
        hours(sums.pod_hours),
    ]


def _verdict(one: Candidate[SweepOutcome]) -> str:
    if one.result.refused:
        return f"refused by {one.result.refused}"
    return "meets it" if one.cost is not None else "misses it"


def summing_up(field: str, best: Candidate[SweepOutcome] | None, as_is: SimulationResult, target: int) -> str:
    """In a sentence or two."""
    now = as_is.run.summary
    meets = "more than the target" if now.over_target else "within the target"
    today = f"As it is: {hours(now.pod_hours)} pod-hours, the longest wait {seconds(now.waited(1))}, {meets}."
    if best is None or best.cost is None:
        return f"No value keeps the oldest message under {seconds(target)}. {today}"
    cost, longest = best.cost
    return (
        f"The cheapest that keeps the oldest message under {seconds(target)}: `{field}: {best.value}`, {hours(cost)} "
        f"pod-hours, the longest wait {seconds(int(longest))}.\n{today}"
    )


def told(one: Candidate[SweepOutcome]) -> dict[str, Any]:
    """For machines."""
    if one.result.result is None:
        return {"value": one.value, "meets": False, "refused": one.result.refused}
    return {"value": one.value, "meets": one.cost is not None, **told_result(one.result.result)}
