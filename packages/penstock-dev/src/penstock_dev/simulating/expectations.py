"""Checks expectations against a simulation, and finds the second at which they break."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from penstock_dev.simulating.case import of_expectation, whole_seconds
from penstock_dev.simulating.simulation import simulate_spec
from penstock_dev.simulating.verdict import CheckedExpectation, Verdict
from penstock_scaling.simulator import SimulationRun
from penstock_spec.context import SpecContext
from penstock_spec.kinds.pipeline.expect import Expectation
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.values.display import many
from penstock_spec.values.quantities import Duration


def check_expectations(subject: SpecContext[Pipeline], seed: int) -> Iterator[CheckedExpectation]:
    """Check all expectations of a spec in its environment."""
    for index, one in enumerate(subject.spec.expect):
        if not one.environments or subject.environment in one.environments:
            within = one.back_to_min_within
            after = whole_seconds(within.amount) + 1 if within else 0
            result = simulate_spec(one.name, subject, of_expectation(one, seed), after=after)
            at = subject.at(f"expect[{index}].name")
            yield CheckedExpectation(
                subject.spec.name, subject.environment, one.name, at, tuple(verdicts_of(one, result.run))
            )


def verdicts_of(one: Expectation, run: SimulationRun) -> Iterator[Verdict]:
    """The verdict on each condition, in the order of the reference."""
    if one.oldest_under is not None:
        yield _oldest(one.oldest_under, run)
    if one.replicas_at_most is not None:
        yield _replicas(one.replicas_at_most, run)
    if one.busy_stopped_at_most is not None:
        yield _busy(one.busy_stopped_at_most, run)
    if one.back_to_min_within is not None:
        yield _back(one.back_to_min_within, run)


def _oldest(most: Duration, run: SimulationRun) -> Verdict:
    # Waits are rounded up to whole seconds: a message as old as the limit at the end of a second waits longer.
    broken_at = _first_above(run.series.oldest, whole_seconds(most.amount) - 1)
    measured = f"the longest wait was {seconds(run.summary.waited(1))}"
    return Verdict("oldest_under", f"no message waits longer than {most}", measured, broken_at)


def _replicas(most: int, run: SimulationRun) -> Verdict:
    broken_at = _first_above(run.series.wanted, most)
    measured = f"there were up to {run.summary.max_replicas}"
    return Verdict("replicas_at_most", f"at most {many(most, 'pod')}", measured, broken_at)


def _busy(most: int, run: SimulationRun) -> Verdict:
    broken_at = _first_above(run.series.stopped, most)
    wanted = f"at most {many(most, 'busy pod')} stopped"
    return Verdict("busy_stopped_at_most", wanted, f"{run.summary.busy_pods_stopped} stopped", broken_at)


def _back(within: Duration, run: SimulationRun) -> Verdict:
    took, sent = run.summary.back_at_min, run.series.sent
    last = next((second for second in range(len(sent) - 1, 0, -1) if sent[second] > sent[second - 1]), 0)
    late = took is None or took > within.seconds
    measured = "never" if took is None else f"after {seconds(took)}"
    wanted = f"back at the minimum within {within} of the last message"
    return Verdict("back_to_min_within", wanted, measured, last + whole_seconds(within.amount) + 1 if late else None)


def _first_above(numbers: Iterable[int], most: float) -> int | None:
    return next((second for second, number in enumerate(numbers) if number > most), None)


def seconds(number: int) -> str:
    """A span as specs write it."""
    return str(Duration.of(number * 1000))
