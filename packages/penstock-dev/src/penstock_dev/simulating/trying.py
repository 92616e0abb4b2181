"""The values of a sweep, each simulated or refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.operating.table import Column, Table
from penstock_dev.simulating.case import Case
from penstock_dev.simulating.judging import seconds
from penstock_dev.simulating.running import Result, run
from penstock_dev.simulating.specs import Specs, with_value
from penstock_dev.simulating.sweeping import Sweep, Tried, try_all
from penstock_dev.simulating.table import hours
from penstock_dev.simulating.table import told as told_result
from penstock_spec.reading.scalars import plain
from penstock_spec.subject import Subject, steps

HEADINGS = ("waited, p99", "longest", "too old for", "replicas", "pod-hours")


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a value came to, or why it was not simulated."""

    result: Result | None
    refused: str = ""


def attempts(
    specs: Specs, case: Case, sweep: Sweep, target: int, show: Callable[[str], None]
) -> tuple[Result, list[Tried[Attempt]]]:
    """The spec as it is, and with each value; `show` is told how far it has come."""
    path = steps(sweep.field)

    def look(value: str) -> Tried[Attempt]:
        show(f"{sweep.field}: {value}")
        found = with_value(specs, path, plain(value))
        if not isinstance(found, Subject):
            return Tried(value, Attempt(None, f"{found[0].rule}: {found[0].says}"), None)
        result = run(value, found, case, target)
        sums = result.run.summary
        cost = None if sums.over_target else (sums.pod_hours, float(sums.waited(1)))
        return Tried(value, Attempt(result), cost)

    return run("as it is", specs.one(), case, target), try_all(sweep.values, look)


def table(field: str, tried: Sequence[Tried[Attempt]]) -> Table:
    """A line for each value."""
    rows = [_cells(one) for one in tried]
    texts = [_verdict(one) for one in tried]
    return Table([Column(field.rpartition(".")[2]), *(Column(one, right=True) for one in HEADINGS)], rows, texts)


def _cells(one: Tried[Attempt]) -> list[str]:
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


def _verdict(one: Tried[Attempt]) -> str:
    if one.result.refused:
        return f"refused by {one.result.refused}"
    return "meets it" if one.cost is not None else "misses it"


def summing_up(field: str, best: Tried[Attempt] | None, as_is: Result, target: int) -> str:
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


def told(one: Tried[Attempt]) -> dict[str, Any]:
    """For machines."""
    if one.result.result is None:
        return {"value": one.value, "meets": False, "refused": one.result.refused}
    return {"value": one.value, "meets": one.cost is not None, **told_result(one.result.result)}
