"""A person is called before the boost begins.

`scaling.boost` asks for more pods when the oldest message has waited too long, so that nobody has to be called.
`alerts.backlog_age` calls somebody when the oldest message has waited too long. When the second is not later than the
first, the alert fires before the boost has had a chance.

Begin the boost earlier, or alert later: the boost needs time for pods to start and to catch up.
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
        message = f"the alert comes at {age} (`alerts.backlog_age`, {subject.line('alerts.backlog_age')})"
        yield subject.problem("scaling.boost.when_older_than", message, f"write well below `{age}`, or alert later")
