"""A bound on missed runs has no effect.

`at_most` says how many of the missed runs are made up for when all of them are to be. With `once` it is one, and with
`skip` none.

Write `run: all`, or take `at_most` out.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import jobs_by_path
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.INFO)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    for path, one in jobs_by_path(subject.spec):
        if one.missed is not None and one.missed.run != "all" and subject.given(f"{path}.missed.at_most"):
            message = f"`run` is `{one.missed.run}` ({subject.line(f'{path}.missed.run')}), so this says nothing"
            yield subject.problem(f"{path}.missed.at_most", message, "write `run: all`, or take it out")
