"""An expectation contradicts the scaling of the spec.

If `scaling.replicas.min` is 0, a simulation starts without pods: the first message waits at least until a pod has
started (`pod_start` of the expectation), so `oldest_under` must be longer. At the end KEDA stops the last pods after
`scaling.cooldown`, which may have started up to `scaling.poll` before the last message, so `back_to_min_within` must
be at least the cooldown minus the polling interval.

Allow more time, keep a pod (`scaling.replicas.min: 1`), or limit the expectation to some `environments`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaling = subject.spec.scaling
    if scaling.replicas.min > 0:
        return
    for index, expectation in enumerate(subject.spec.expect):
        if expectation.environments and subject.environment not in expectation.environments:
            continue
        if expectation.oldest_under is not None and expectation.oldest_under.amount <= expectation.pod_start.amount:
            message = f"the pipeline starts at zero, so the first message waits {expectation.pod_start} for a pod"
            hint = f"allow more than `{expectation.pod_start}`, or set `scaling.replicas.min` to at least `1`"
            yield subject.problem(f"expect[{index}].oldest_under", message, hint)
        soonest = scaling.cooldown - scaling.poll
        if expectation.back_to_min_within is not None and expectation.back_to_min_within < soonest:
            line = subject.line("scaling.cooldown")
            message = f"the last pods stop only after `scaling.cooldown`, {scaling.cooldown} ({line})"
            hint = f"allow at least `{scaling.cooldown}`, or shorten the cooldown"
            yield subject.problem(f"expect[{index}].back_to_min_within", message, hint)
