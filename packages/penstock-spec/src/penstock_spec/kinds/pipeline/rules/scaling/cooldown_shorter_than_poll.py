"""The cooldown is shorter than the polling interval.

The cooldown starts at the last poll that found work. If it is shorter than `scaling.poll`, a single poll of an empty
stream stops the last pods, and the next message has to wait for a new pod. The cooldown should prevent exactly that.

Set it to several times the polling interval.
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
    scaling = subject.spec.scaling
    if scaling.replicas.min == 0 and scaling.cooldown < scaling.poll:
        if subject.is_set("scaling.cooldown"):
            message = f"KEDA polls every {scaling.poll} (`scaling.poll`, {subject.line('scaling.poll')})"
            hint = f"set `scaling.cooldown` to more than `{scaling.poll}`; `{scaling.poll * 2}` or more is usual"
            yield subject.problem("scaling.cooldown", message, hint)
        else:
            message = f"the last pods stop after {scaling.cooldown} (`scaling.cooldown`, by default)"
            yield subject.problem(
                "scaling.poll", message, f"poll more often, or set `scaling.cooldown` to `{scaling.poll * 2}`"
            )
