"""The alerts of an environment go nowhere.

Alerts are routed by the team that owns a pipeline. This environment has no routes at all, so every alert of every
pipeline fires without anybody hearing it.

Add a `default` route, and one for each team that wants its own. An environment whose alerts nobody needs to hear can
suppress this with a reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.reading import Found
from penstock_spec.rules.define import platform_rule
from penstock_spec.subject import PlatformSubject


@platform_rule(Severity.WARNING)
def rule(it: PlatformSubject) -> Iterator[Found]:
    """Every team would be without one."""
    if not it.platform.routes:
        says = f"`{it.environment}` has no routes, so nobody hears its alerts"
        yield it.problem("routes", says, 'add `routes: {default: {slack: "#alerts"}}`')
