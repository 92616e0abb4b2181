"""Two specs have the same name.

Everything that is made of a spec is called after it: the folder below `generated/`, the Deployment, the ScaledObject,
the dashboard, the alerts. Of two specs with one name, one overwrites the other.

Give one of them another name. If its stream and group followed from the name, they change with it; set `stream.key`
and `stream.group` to keep them.
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
            message = f"{first[name].line('name')} has the name `{name}` too"
            yield member.problem("name", message, "choose another; everything that is generated is called after it")
        first.setdefault(name, member)
