"""Alerts of an environment go nowhere.

Alerts are routed by the team that owns a pipeline. Where an environment has no routes at all, or a route names neither
a channel nor a pager, alerts fire without anybody hearing them.

Add a `default` route, and one for each team that wants its own. An environment whose alerts nobody needs to hear can
suppress this with a reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import EnvironmentContext
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem
from penstock_spec.rules.define import platform_rule


@platform_rule(Severity.WARNING)
def rule(subject: EnvironmentContext) -> Iterator[Problem]:
    if not subject.platform.routes:
        message = f"`{subject.environment}` has no routes, so nobody hears its alerts"
        yield subject.problem("routes", message, 'add `routes: {default: {slack: "#alerts"}}`')
    for name, route in subject.platform.routes.items():
        if route.slack is None and route.pagerduty is None:
            message = f"the route `{name}` has neither `slack` nor `pagerduty`, so nobody hears its alerts"
            yield subject.problem(f"routes.{name}", message, 'write where they go, such as `slack: "#alerts"`')
