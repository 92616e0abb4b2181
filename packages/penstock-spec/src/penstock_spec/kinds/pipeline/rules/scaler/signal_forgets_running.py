"""The scaling signal ignores running messages.

Lag counts messages that nobody has read yet. Running messages are not included, so with lag alone a pipeline that runs
its last messages looks idle. If the cooldown ends before the longest message is done, KEDA stops the last pods in the
middle of their work, regardless of the HPA's policies.

Count pending entries too, as the generated formula does. A cooldown longer than `work.timeout` only makes this rarer.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import FORMULA, TRIGGERS, effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Duration


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    modes = {trigger.mode for trigger in scaler.counted_triggers}
    cooldown = scaler.integer("spec", "cooldownPeriod")
    if "lag" not in modes or modes & {"pending", "length"} or scaler.min_replicas > 0 or cooldown is None:
        return
    rest, timeout = Duration.of(max(0, cooldown) * 1000), subject.spec.work.timeout
    if not timeout < rest:
        message = (
            f"lag leaves out running messages: the last pods stop {rest} after the last message was read, but "
            f"`work.timeout` is {timeout} ({subject.line('work.timeout')})"
        )
        hint = "count pending entries too: a trigger with `pendingEntriesCount`, added to the lag in the formula"
        yield scaler.problem(message, hint, FORMULA, TRIGGERS, ("spec", "cooldownPeriod"))
