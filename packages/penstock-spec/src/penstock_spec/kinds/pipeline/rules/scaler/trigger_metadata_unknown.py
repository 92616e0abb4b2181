"""A trigger has unknown metadata.

KEDA silently ignores a metadata key that it does not know. With a typo in its key, a target becomes 5, and an address
is missing.

Correct the key. Penstock checks KEDA's types for Redis and `metrics-api`, and no others.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.fields import nearest
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.scaler.trigger import KNOWN
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    for trigger in scaler.triggers:
        known = KNOWN.get(trigger.type, frozenset(trigger.metadata))
        for key in trigger.metadata:
            if key not in known:
                close = nearest(str(key), known)
                message = f"`{trigger.type}` has no `{printable(key)}`, so KEDA silently ignores it"
                yield scaler.problem(message, f"write `{close}`" if close else "remove it", trigger.at(key))
