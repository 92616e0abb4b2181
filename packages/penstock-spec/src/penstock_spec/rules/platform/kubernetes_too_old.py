"""The Kubernetes version is not supported.

Generated manifests are validated against the API of the Kubernetes version in the platform file, from 1.31 on. An
older API server may refuse fields of these manifests or silently drop them, and is no longer maintained itself.

Upgrade the cluster. If it is newer already, correct `versions.kubernetes`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import EnvironmentContext
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem
from penstock_spec.rules.define import platform_rule
from penstock_spec.values.quantities import Version

OLDEST = Version("1.31")


@platform_rule(Severity.WARNING)
def rule(subject: EnvironmentContext) -> Iterator[Problem]:
    version = subject.platform.versions.kubernetes
    if version < OLDEST:
        message = f"manifests are validated for Kubernetes {OLDEST} and later; this is {version}"
        yield subject.problem("versions.kubernetes", message, f"upgrade Kubernetes to `{OLDEST}` or later")
