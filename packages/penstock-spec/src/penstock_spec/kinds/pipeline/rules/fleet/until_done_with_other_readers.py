"""Messages are deleted before another group has read them.

With `stream.retention.keep: until-done` a message leaves the stream when its group is done with it. A second group on
the stream loses the messages that it has not read by then. Once workers detect that group, they stop deleting: the
stream then only grows, its length is no longer the remaining work, and the pipeline scales to its maximum forever.

If several pipelines read one stream, keep history in all their specs: `{length: ...}` or `{age: ...}`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import Fleet, SpecFacts
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem
from penstock_spec.rules.define import fleet_rule


@fleet_rule(Severity.ERROR)
def rule(fleet: Fleet) -> Iterator[Problem]:
    readers: dict[str, list[SpecFacts]] = {}
    for member in fleet.of("pipeline"):
        readers.setdefault(member.values["stream.key"], []).append(member)
    for member in fleet.of("pipeline"):
        if member.values["stream.retention.keep"] != "until-done":
            continue
        key, group = member.values["stream.key"], member.values["stream.group"]
        other = next((one for one in readers[key] if one.values["stream.group"] != group), None)
        if other is not None:
            message = f"{other.line('stream.group')} reads `{key}` too, as group `{other.values['stream.group']}`"
            hint = "set `stream.retention.keep` of both to `{length: 1000000}` or `{age: 7d}`"
            yield member.problem("stream.retention.keep", message, hint)
