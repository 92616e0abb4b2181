"""The alerts of a team are not delivered.

Alerts are routed by `owner.team`. The platform file has routes for this environment, but neither one for this team nor
a `default`. When the pipeline breaks, its alerts fire, but reach nobody.

Add a route for the team, or a `default` route for all teams without one. If the team's name is misspelt, correct it.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.fields import nearest
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    team, routes = subject.spec.owner.team, subject.platform.routes
    if not routes or team in routes or "default" in routes:
        return  # `no-default-route` reports an environment without routes
    message = (
        f"there are routes for {', '.join(f'`{one}`' for one in routes)}, but neither for this team nor a `default`"
    )
    close = nearest(team, list(routes))
    hint = (
        f"write `{close}`, or add a route"
        if close
        else f"add a route for `{team}` or a `default` route to the platform file"
    )
    yield subject.problem("owner.team", message, hint)
