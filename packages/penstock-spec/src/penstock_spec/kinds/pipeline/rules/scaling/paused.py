"""Scaling is paused until somebody remembers.

With `scaling.paused: true` the number of pods stays where it is, whatever the backlog does. That is right during an
incident or a migration, and it looks like an outage a month later. Nothing ends it by itself.

Take it out when its reason is over. Until then suppress this rule with the reason, and with the day on which it must
be looked at again:

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
        message = "pods neither come nor go, whatever the backlog does, until somebody takes this out"
        hint = "take it out, or suppress `paused` with the reason and its last day"
        yield subject.problem("scaling.paused", message, hint)
