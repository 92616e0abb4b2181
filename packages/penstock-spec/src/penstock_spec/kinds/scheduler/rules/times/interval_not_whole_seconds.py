"""An interval is not in whole seconds.

Due times are whole seconds of Redis time, rounded up. A job with `every: 1.5s` would run every 2 s.

Write whole seconds.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import jobs_by_path
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Duration


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    for path, job in jobs_by_path(subject.spec):
        for field in ("every", "error_interval"):
            value: Duration | None = getattr(job, field)
            if value is not None and value.amount % 1000:
                up = Duration.of((value.amount // 1000 + 1) * 1000)
                message = f"due times are whole seconds, so {value} becomes {up}"
                yield subject.problem(f"{path}.{field}", message, f"write `{up}`")
