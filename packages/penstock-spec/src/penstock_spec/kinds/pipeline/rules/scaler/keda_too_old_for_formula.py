"""KEDA is too old for a formula that bears failures.

`??` in a formula lets a trigger that fails count as nothing. Before KEDA 2.20 any failure made the whole formula
fail: without its group a kept stream could not wake from zero, and `scaling.boost` would freeze the pods whenever the
janitor is away.

Install KEDA 2.20 or newer. Or do without: `stream.retention.keep: until-done` and no `scaling.boost` need no `??`.
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
            f"the formula uses `??`, which KEDA {version} ({subject.platform_line('versions.keda')}) does not know"
        )
        boosted = subject.spec.scaling.boost and subject.spec.stream.retention.keep == "until-done"
        hint = "install KEDA 2.20 or newer" + (", or take `scaling.boost` out" if boosted else "")
        if boosted and scaler.result.author(FORMULA) is None:
            yield subject.problem("scaling.boost", message, hint)
        else:
            yield scaler.problem(message, hint, FORMULA)
