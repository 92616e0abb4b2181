"""Alerts of an environment are not delivered.

Alerts are routed by the team that owns a pipeline. If an environment has no routes, or a route has neither a Slack
channel nor a PagerDuty key, its alerts fire, but reach nobody.

Add a `default` route, and one for each team that wants its own. If an environment needs no alerts, suppress this
finding with a reason.
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
        message = f"`{subject.environment}` has no routes, so its alerts reach nobody"
        yield subject.problem("routes", message, 'add `routes: {default: {slack: "#alerts"}}`')
    for name, route in subject.platform.routes.items():
        if route.slack is None and route.pagerduty is None:
            message = f"the route `{name}` has neither `slack` nor `pagerduty`, so its alerts reach nobody"
            yield subject.problem(f"routes.{name}", message, 'set a destination, such as `slack: "#alerts"`')
