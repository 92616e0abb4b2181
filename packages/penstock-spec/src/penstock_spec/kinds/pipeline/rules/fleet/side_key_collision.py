"""A key collides with the side keys of a stream.

Beside each stream `K`, Penstock uses the keys `{K}:delayed`, `{K}:dedup:...` and, for each group,
`{K}:<group>:parked`, `:uncharged`, `:alive` and others. They are sorted sets, strings and hashes. If a stream or a
dead letter stream has such a key, Redis refuses commands with a type error, or state that protects messages from loss
is overwritten. The streams `K` and `{K}` share all their side keys.

Choose another key.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import Fleet, SpecFacts
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.side_keys import prefixes, side_keys
from penstock_spec.reading import Problem
from penstock_spec.rules.define import fleet_rule


@fleet_rule(Severity.ERROR)
def rule(fleet: Fleet) -> Iterator[Problem]:
    owners: dict[str, SpecFacts] = {}
    for member in fleet.of("pipeline"):
        twin = None
        for key in side_keys(member.values["stream.key"], member.values["stream.group"]):
            owner = owners.setdefault(key, member)
            if owner.values["stream.key"] != member.values["stream.key"]:
                twin = twin or (key, owner)
        if twin:
            key, owner = twin
            other = f"`{owner.values['stream.key']}` ({owner.line('stream.key')})"
            message = f"`{key}` would belong to this stream and to {other}"
            yield member.problem("stream.key", message, "choose another `stream.key`")
    for member in fleet.of("pipeline"):
        for path in ("stream.key", "dead_letter.key"):
            taken_key = next((key for key in prefixes(member.values[path]) if key in owners), None)
            if taken_key:
                owner = owners[taken_key]
                stream = f"`{owner.values['stream.key']}` ({owner.line('stream.key')})"
                message = f"`{taken_key}` is a side key of the stream {stream}"
                yield member.problem(path, message, f"choose another `{path}`")
                break  # the dead letter key may only collide because it is derived from the stream's key
