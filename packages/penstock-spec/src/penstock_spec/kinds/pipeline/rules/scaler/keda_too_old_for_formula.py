"""KEDA is too old for `??` in a formula.

`??` in a formula lets a trigger that fails count as 0. Before KEDA 2.20 any failure made the whole formula fail: a
stream that keeps messages could not wake from zero while its group is missing, and `scaling.boost` would freeze the
number of pods while the janitor is down.

Install KEDA 2.20 or newer. Without an upgrade, use `stream.retention.keep: until-done` and no `scaling.boost`, which
need no `??`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import FORMULA, effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Version


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    version, scaler = subject.platform.versions.keda, effective(subject)
    if "??" in scaler.formula and version < Version("2.20") and not version < Version("2.17"):
        message = (
            f"the formula uses `??`, which KEDA {version} ({subject.platform_line('versions.keda')}) does not support"
        )
        boosted = subject.spec.scaling.boost and subject.spec.stream.retention.keep == "until-done"
        hint = "install KEDA 2.20 or newer" + (", or remove `scaling.boost`" if boosted else "")
        if boosted and not scaler.is_changed_at(FORMULA):
            yield subject.problem("scaling.boost", message, hint)
        else:
            yield scaler.problem(message, hint, FORMULA)
