"""Dead letters are deleted within a weekend.

A dead letter is a message whose work was not done. With `dead_letter.keep` below three days, a dead letter from Friday
evening can be gone on Monday morning before anyone has looked at it.

Keep dead letters for longer than a long weekend; the default is two weeks.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Duration

WEEKEND = Duration("3d")


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    keep = subject.spec.dead_letter.keep
    if keep < WEEKEND:
        message = f"{keep} is less than {WEEKEND}, so dead letters of Friday can be gone on Monday"
        yield subject.problem("dead_letter.keep", message, "set `dead_letter.keep` to a longer time, such as `14d`")
