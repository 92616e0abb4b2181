"""KEDA is too old to scale a stream from zero.

Before 2.17 a trigger refused an activation of 0, so a single message did not wake a pipeline. Before 2.12 there were
no formulas, and every generated ScaledObject has one.

Install a newer KEDA and set its version in `versions.keda`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import EnvironmentContext
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem
from penstock_spec.rules.define import platform_rule
from penstock_spec.values.quantities import Version


@platform_rule(Severity.ERROR)
def rule(subject: EnvironmentContext) -> Iterator[Problem]:
    version = subject.platform.versions.keda
    if version < Version("2.12"):
        message = f"KEDA {version} has no `scalingModifiers`, but every pipeline scales by a formula"
        yield subject.problem("versions.keda", message, "install KEDA 2.17 or newer")
    elif version < Version("2.17"):
        message = f"KEDA {version} does not wake a pipeline from zero for a single message"
        yield subject.problem("versions.keda", message, "install KEDA 2.17 or newer")
