"""Two pipelines share one stream and consumer group.

Redis delivers each message of a stream to one consumer of a group. Two specs with the same stream and group form one
group with two kinds of workers: which handler gets a message is random, and both scalers count the same backlog.

If both need every message, give one of them another group and keep history in the stream. If each needs only some of
the messages, give it its own stream. If one replaces the other, delete the old spec.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import Fleet, SpecFacts
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.derive import derive
from penstock_spec.reading import Problem
from penstock_spec.rules.define import fleet_rule


@fleet_rule(Severity.ERROR)
def rule(fleet: Fleet) -> Iterator[Problem]:
    first: dict[tuple[str, str], SpecFacts] = {}
    for member in fleet.of("pipeline"):
        key, group = member.values["stream.key"], member.values["stream.group"]
        other = first.setdefault((key, group), member)
        if other is not member and not _share_name_and_default(other, member):
            message = f"{other.line('stream.group')} reads `{key}` as group `{group}` too; a message reaches only one"
            yield member.problem("stream.group", message, "give this spec a group or a stream of its own")


def _share_name_and_default(one: SpecFacts, other: SpecFacts) -> bool:
    """True if they share a name and a default derived from it, which `name-used-twice` reports."""
    defaults = derive({"name": one.values["name"]})
    shares_default = any(one.values[path] == defaults[path] for path in ("stream.key", "stream.group"))
    return shares_default and one.values["name"] == other.values["name"]
