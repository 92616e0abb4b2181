"""The last pods go while they still work.

Lag is what nobody has read yet. A message that runs is not in it, so with lag alone a pipeline that works on its last
messages looks idle. When the cooldown is over before the longest work is done, the last pods are taken away in the
middle of it, past every policy of the HPA.

Count pending entries too, as the generated formula does. A cooldown beyond `work.timeout` only makes it rarer.
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
    modes = {one.mode for one in scaler.counted}
    cooldown = scaler.whole("spec", "cooldownPeriod")
    if "lag" not in modes or modes & {"pending", "length"} or scaler.least > 0 or cooldown is None:
        return
    rest, timeout = Duration.of(max(0, cooldown) * 1000), subject.spec.work.timeout
    if not timeout < rest:
        message = (
            f"only lag counts, which leaves out what runs: the last pods go {rest} after the last message was read, and"
            f" work.timeout is {timeout} ({subject.line('work.timeout')})"
        )
        hint = "count pending entries too: a trigger with `pendingEntriesCount`, added to the lag in the formula"
        yield scaler.problem(message, hint, FORMULA, TRIGGERS, ("spec", "cooldownPeriod"))
