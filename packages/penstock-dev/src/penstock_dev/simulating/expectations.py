"""Whether what is expected held in a run, and when it broke."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from penstock.operating.spans import many
from penstock_dev.simulating.case import of_expectation, whole_seconds
from penstock_dev.simulating.simulation import run
from penstock_dev.simulating.verdict import CheckedExpectation, Verdict
from penstock_scaling.simulator import Run
from penstock_spec.context import SpecContext
from penstock_spec.kinds.pipeline.expect import Expectation
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.values.quantities import Duration


def check_expectations(it: SpecContext[Pipeline], seed: int) -> Iterator[CheckedExpectation]:
    """All that a spec expects in this environment, one after the other."""
    for index, one in enumerate(it.spec.expect):
        if not one.environments or it.environment in one.environments:
            within = one.back_to_min_within
            after = whole_seconds(within.amount) + 1 if within else 0
            result = run(one.name, it, of_expectation(one, seed), after=after)
            at = it.at(f"expect[{index}].name")
            yield CheckedExpectation(it.spec.name, it.environment, one.name, at, tuple(verdicts_of(one, result.run)))


def verdicts_of(one: Expectation, run: Run) -> Iterator[Verdict]:
    """Each condition, in the order in which the reference has them."""
    if one.oldest_under is not None:
        yield _oldest(one.oldest_under, run)
    if one.replicas_at_most is not None:
        yield _replicas(one.replicas_at_most, run)
    if one.busy_stopped_at_most is not None:
        yield _busy(one.busy_stopped_at_most, run)
    if one.back_to_min_within is not None:
        yield _back(one.back_to_min_within, run)


def _oldest(most: Duration, run: Run) -> Verdict:
    # What is as old as that at the end of a second waits for longer. Waits are whole seconds, so half of one is one.
    broken_at = _first_above(run.series.oldest, whole_seconds(most.amount) - 1)
    measured = f"the longest wait was {seconds(run.summary.waited(1))}"
    return Verdict("oldest_under", f"no message waits longer than {most}", measured, broken_at)


def _replicas(most: int, run: Run) -> Verdict:
    broken_at = _first_above(run.series.wanted, most)
    measured = f"there were up to {run.summary.max_replicas}"
    return Verdict("replicas_at_most", f"at most {many(most, 'pod')}", measured, broken_at)


def _busy(most: int, run: Run) -> Verdict:
    broken_at = _first_above(run.series.stopped, most)
    wanted = f"at most {many(most, 'pod')} stopped while at work"
    return Verdict("busy_stopped_at_most", wanted, f"{run.summary.busy_pods_stopped} were", broken_at)


def _back(within: Duration, run: Run) -> Verdict:
    took, sent = run.summary.back_at_min, run.series.sent
    last = next((second for second in range(len(sent) - 1, 0, -1) if sent[second] > sent[second - 1]), 0)
    late = took is None or took > within.seconds
    measured = "they never were" if took is None else f"it took {seconds(took)}"
    wanted = f"back at the minimum within {within} of the last message"
    return Verdict("back_to_min_within", wanted, measured, last + whole_seconds(within.amount) + 1 if late else None)


def _first_above(numbers: Iterable[int], most: float) -> int | None:
    return next((second for second, number in enumerate(numbers) if number > most), None)


def seconds(number: int) -> str:
    """As a spec would have it."""
    return str(Duration.of(number * 1000))
