"""Kubernetes is older than what the manifests are checked against.

Generated manifests are validated against the API of the version that the platform file names, from 1.31 on. An older
server may refuse fields that they use, or drop them in silence, and its own support has ended.

Upgrade the cluster. Where it already is newer, correct `versions.kubernetes`.
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
        message = f"manifests are validated for Kubernetes {OLDEST} and later, and this is {version}"
        yield subject.problem("versions.kubernetes", message, f"upgrade to `{OLDEST}` or later")
