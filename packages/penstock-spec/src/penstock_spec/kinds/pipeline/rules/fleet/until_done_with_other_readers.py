"""Messages are deleted when done, and somebody else reads them too.

With `stream.retention.keep: until-done` a message leaves the stream when its group is done with it. A second group on
the stream loses whatever it had not read by then. As soon as workers see that group they stop deleting; then the
stream only grows, its length is no longer the work left, and the scaler asks for the maximum for ever.

Where several pipelines read one stream, keep history in all of their specs: `{length: ...}` or `{age: ...}`.
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
            message = f"{other.line('stream.group')} reads `{key}` too, as the group `{other.values['stream.group']}`"
            hint = "set `stream.retention.keep` of both to `{length: 1000000}` or `{age: 7d}`"
            yield member.problem("stream.retention.keep", message, hint)
