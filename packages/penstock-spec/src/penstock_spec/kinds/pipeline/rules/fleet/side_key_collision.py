"""A key is one that Penstock uses beside a stream.

Beside each stream `K` stand `{K}:delayed`, `{K}:dedup:...` and, for each group, `{K}:<group>:parked`, `:uncharged`,
`:alive` and others. They are sets, texts and hashes. A stream or a dead letter under such a key is refused by Redis as
the wrong type, or takes the place of what keeps messages from being lost. Streams `K` and `{K}` have all their side
keys in common.

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
            message = (
                f"`{twin[0]}` would belong to it and to `{twin[1].values['stream.key']}` ({twin[1].line('stream.key')})"
            )
            yield member.problem("stream.key", message, "choose another `stream.key`")
    for member in fleet.of("pipeline"):
        for path in ("stream.key", "dead_letter.key"):
            taken = next((key for key in prefixes(member.values[path]) if key in owners), None)
            if taken:
                owner = owners[taken]
                message = (
                    f"`{taken}` is a side key of the stream `{owner.values['stream.key']}` ({owner.line('stream.key')})"
                )
                yield member.problem(path, message, f"choose another `{path}`")
                break  # dead letters may only follow the stream's key
