"""Two pipelines share one dead letter key.

In a shared key the dead letters of two pipelines are mixed. Each of them triggers both pipelines' alerts, the shorter
`dead_letter.keep` applies to both, and a replay has to separate them again.

Remove `dead_letter.key`: the default is a key beside the pipeline's own stream.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import Fleet, SpecFacts
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.derive import dead_letters
from penstock_spec.reading import Problem
from penstock_spec.rules.define import fleet_rule


@fleet_rule(Severity.WARNING)
def rule(fleet: Fleet) -> Iterator[Problem]:
    first: dict[str, SpecFacts] = {}
    for member in fleet.of("pipeline"):
        dead = member.values["dead_letter.key"]
        other = first.setdefault(dead, member)
        if other is not member and not _same_group(other, member):
            is_default = dead == dead_letters(member.values["stream.key"], member.values["stream.group"])
            one, other = (other, member) if is_default else (member, other)
            message = f"{other.line('dead_letter.key')} writes dead letters to `{dead}` too"
            yield one.problem("dead_letter.key", message, "remove it to get a key of its own beside the stream")


def _same_group(one: SpecFacts, other: SpecFacts) -> bool:
    """True if `stream-group-shared` reports them already."""
    return all(one.values[path] == other.values[path] for path in ("stream.key", "stream.group"))
