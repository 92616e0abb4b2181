"""A scheduler shares its Redis keys with another spec.

The keys of a scheduler come from its `keys` section and contain its name only if a prefix or a hash tag does. Two
schedulers with the same keys take and unregister each other's jobs. If a pipeline's stream has the name of such a key,
the first Redis command fails.

Give one of them a prefix: `keys: {prefix: "<name>:"}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple

from penstock_spec.context import Fleet, SpecFacts
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.keys import KeyNames, SchedulerKeys
from penstock_spec.reading import Problem
from penstock_spec.rules.define import fleet_rule

PATHS = ("stream.key", "dead_letter.key")
"""The fields for keys in specs of other kinds."""


@fleet_rule(Severity.ERROR)
def rule(fleet: Fleet) -> Iterator[Problem]:
    owners: dict[str, tuple[SpecFacts, str]] = {}
    for member in fleet.members:
        for path in PATHS:
            if member.kind != "scheduler" and isinstance(member.values.get(path), str):
                owners.setdefault(member.values[path], (member, path))
    for member in fleet.of("scheduler"):
        own_keys = _keys(member)
        other = next(((key, *owners[key]) for key in own_keys if key in owners), None)
        if other is not None and other[1].values["name"] != member.values["name"]:
            key, owner, path = other
            message = f"`{key}` is a key of `{owner.values['name']}` too ({owner.line(path)})"
            prefix = f'`keys: {{prefix: "{member.values["name"]}:"}}`'
            yield member.problem("keys.prefix", message, f"give the scheduler its own keys, such as {prefix}")
        for key in own_keys:
            owners.setdefault(key, (member, "keys.prefix"))


def _keys(member: SpecFacts) -> tuple[str, ...]:
    fields = ("prefix", "waiting", "working", "cleanup_leader", "hash_tag")
    return astuple(SchedulerKeys.of(KeyNames(**{field: member.values[f"keys.{field}"] for field in fields})))
