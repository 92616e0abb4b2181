"""No time is left for work between the stop signal and the margin.

`shutdown.margin` is the end of `shutdown.grace`: what still runs when it begins is cancelled and given back. With a
margin as long as the grace everything is cancelled at once, at each scale-down and each rollout.

Make the grace longer, or the margin shorter; ten seconds are enough for giving back and closing.
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
    timeout, shutdown = subject.spec.work.timeout, subject.spec.shutdown
    if shutdown.margin < shutdown.grace:
        return
    message = f"all of shutdown.grace, {shutdown.grace} ({subject.line('shutdown.grace')}), is margin"
    if subject.given("shutdown.margin"):
        yield subject.problem("shutdown.margin", message, "make it shorter, such as `10s`")
    else:
        needed = timeout + shutdown.margin
        message = f"the margin for giving back and closing is {shutdown.margin}, and all of this"
        yield subject.problem("shutdown.grace", message, f"set `shutdown.grace` to at least `{needed}`")
