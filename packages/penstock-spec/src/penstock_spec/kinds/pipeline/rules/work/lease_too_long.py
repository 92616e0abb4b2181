"""A long lease delays messages of a lost worker.

If a worker is killed or its node is lost, other workers take over its messages only after its lease has expired. Every
message that it held waits that long, while the age that triggers alerts goes up.

Set `work.lease` to a minute or less; the default of `30s` is right for most pipelines. A lease does not have to be as
long as the work: while a handler runs, a separate thread renews it.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Duration

LONGEST = Duration("5m")


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    lease = subject.spec.work.lease
    if lease > LONGEST:
        message = f"messages of a lost worker wait {lease}; a lease does not have to outlast the work"
        yield subject.problem("work.lease", message, f"set `work.lease` to `{LONGEST}` or less; the default is `30s`")
