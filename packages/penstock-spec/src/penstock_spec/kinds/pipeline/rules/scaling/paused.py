"""Scaling is paused without an end.

With `scaling.paused: true` the number of pods does not change, however large the backlog is. That is right during an
incident or a migration, but a month later it looks like an outage, and nothing ends it automatically.

Remove it when its reason is over. Until then, suppress this finding with the reason and a date on which somebody
checks it again:

```yaml
suppress: [{rule: paused, reason: the index is being rebuilt, until: 2027-01-31}]
```
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
    if subject.spec.scaling.paused:
        message = "the number of pods does not change, however large the backlog is, until this is removed"
        hint = "remove it, or suppress `paused` with the reason and an end date"
        yield subject.problem("scaling.paused", message, hint)
