"""Alerts of an environment go nowhere.

Alerts are routed by the team that owns a pipeline. Where an environment has no routes at all, or a route names neither
a channel nor a pager, alerts fire without anybody hearing them.

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
    """Every team would be without one, or those of one route."""
    if not it.platform.routes:
        says = f"`{it.environment}` has no routes, so nobody hears its alerts"
        yield it.problem("routes", says, 'add `routes: {default: {slack: "#alerts"}}`')
    for name, route in it.platform.routes.items():
        if route.slack is None and route.pagerduty is None:
            says = f"the route `{name}` has neither `slack` nor `pagerduty`, so nobody hears its alerts"
            yield it.problem(f"routes.{name}", says, 'write where they go, such as `slack: "#alerts"`')
