"""An error of Redis takes all pods away.

With `minReplicaCount` 0 and a fallback to 0, KEDA treats a signal that it cannot read like an empty stream: after the
cooldown the last pods go, in the middle of their work, and none comes while the error lasts.

Hold at least one pod.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    if scaler.least == 0 and scaler.whole("spec", "fallback", "replicas") == 0:
        message = "while Redis answers with errors, all pods go, whatever they work on"
        yield scaler.problem(message, "hold at least `1`", ("spec", "fallback", "replicas"))
