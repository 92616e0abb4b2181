"""The backlog alert fires before the boost starts.

Both depend on how long the oldest message has waited: `scaling.boost` starts more pods, and `alerts.backlog_age`
notifies the team. If the alert is not later than the boost, it fires before the boost can help.

Start the boost earlier, or alert later: the boost needs time to start pods and catch up.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    boost, age = subject.spec.scaling.boost, subject.spec.alerts.backlog_age
    if boost is not None and boost.when_older_than.amount >= age.amount:
        message = f"the alert fires at {age} (`alerts.backlog_age`, {subject.line('alerts.backlog_age')})"
        yield subject.problem(
            "scaling.boost.when_older_than", message, f"set it well below `{age}`, or raise `alerts.backlog_age`"
        )
