"""Two pipelines take each other's messages.

Redis gives each message of a stream to one consumer of a group. Two specs on the same stream and group are one group
with two kinds of workers: which handler gets a message is chance, and both scalers count the same backlog.

Give one of them a group of its own, if both are to see every message, and keep history in the stream then. If each is
to see some of the messages, give it a stream of its own. If one replaces the other, take the old spec out.
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
        if other is not member and not _renamed_apart(other, member):
            message = (
                f"{other.line('stream.group')} reads `{key}` as the group `{group}` too; a message reaches only one"
            )
            yield member.problem("stream.group", message, "give this spec a group or a stream of its own")


def _renamed_apart(one: SpecFacts, other: SpecFacts) -> bool:
    """They have one name and a stream or group that follows from it, so that `name-used-twice` says it all."""
    follows = derive({"name": one.values["name"]})
    alike = any(one.values[path] == follows[path] for path in ("stream.key", "stream.group"))
    return alike and one.values["name"] == other.values["name"]
