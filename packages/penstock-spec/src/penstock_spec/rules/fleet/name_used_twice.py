"""Two specs have the same name.

Everything generated from a spec is named after it: its folder in `generated/`, the Deployment, the ScaledObject, the
dashboard, the alerts. With the same name, one spec overwrites the other.

Rename one of them. If its stream and group are derived from the name, they change with it; set `stream.key` and
`stream.group` to keep them.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import Fleet, SpecFacts
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem
from penstock_spec.rules.define import fleet_rule


@fleet_rule(Severity.ERROR)
def rule(fleet: Fleet) -> Iterator[Problem]:
    first: dict[str, SpecFacts] = {}
    for member in fleet.members:
        name = member.values["name"]
        if name in first:
            message = f"the spec at {first[name].line('name')} has the name `{name}` too"
            yield member.problem(
                "name", message, "choose another name; everything generated from a spec is named after it"
            )
        first.setdefault(name, member)
