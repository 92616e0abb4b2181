"""Dead letters are gone before anyone has looked at them.

Each dead letter is a message that nobody has worked on. With `dead_letter.keep` below three days, what dies on a
Friday evening can be gone on Monday morning, and with it the work.

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
        message = f"what dies before a weekend is gone after it: {keep} are less than {WEEKEND}"
        yield subject.problem("dead_letter.keep", message, "keep them longer, such as `14d`")
