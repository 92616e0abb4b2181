"""Simulates a spec in a case."""

from __future__ import annotations

from dataclasses import dataclass

from penstock_dev.simulating.case import Case, whole_seconds
from penstock_dev.simulating.curves import Curves
from penstock_scaling import settings_of
from penstock_scaling.simulator import Scenario, SimulationRun, simulate
from penstock_spec.context import SpecContext
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.spec import Pipeline

SETTLE_TIME = 3600
"""Minimum seconds after the traffic in which a run may become quiet."""


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """The run, with a name for tables and plots."""

    name: str
    run: SimulationRun

    def curves(self) -> Curves:
        """The curves for a plot."""
        series = self.run.series
        sent = list(series.sent)
        return Curves(
            name=self.name,
            arrivals=[after - before for before, after in zip([0, *sent], sent, strict=False)],
            backlog=series.backlog,
            oldest=series.oldest,
            wanted=series.wanted,
            ready=series.ready,
        ).thinned()


def simulate_spec(
    name: str, subject: SpecContext[Pipeline], case: Case, target: int | None = None, after: int = 0
) -> SimulationResult:
    """Simulate with the effective ScaledObject, until it is quiet or `after` seconds after the traffic."""
    spec = subject.spec
    slow = whole_seconds(spec.scaling.cooldown.amount + spec.scaling.scale_down.window.amount)
    scenario = Scenario(
        settings=settings_of(effective(subject).result.manifest),
        traffic=case.traffic,
        handling=case.handling,
        concurrency=spec.work.concurrency,
        pod_start=case.starts.pod,
        node_start=case.starts.node,
        node_pods=case.starts.node_pods,
        grace=whole_seconds(spec.shutdown.grace.amount),
        margin=whole_seconds(spec.shutdown.margin.amount),
        lease=whole_seconds(spec.work.lease.amount),
        protect_busy=spec.scaling.protect_busy,
        keeps_history=spec.stream.retention.keep != "until-done",
        outages=case.away,
        # Waits are rounded up: a message as old as the target at the end of a second waits longer.
        target_age=None if target is None else target - 1,
        after=max(SETTLE_TIME + slow, after),
    )
    return SimulationResult(name, simulate(scenario, case.seed))
