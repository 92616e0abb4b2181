"""Two pipelines bury into one key.

In a shared key the dead letters of one pipeline hide among those of the other. The alert of both fires for either,
the shorter `dead_letter.keep` trims for both, and a replay has to sort out what belongs where.

Leave `dead_letter.key` out: the default is a key beside the pipeline's own stream.
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
            usual = dead == dead_letters(member.values["stream.key"], member.values["stream.group"])
            one, other = (other, member) if usual else (member, other)
            message = f"{other.line('dead_letter.key')} buries into `{dead}` too"
            yield one.problem("dead_letter.key", message, "leave it out, for a key of its own beside the stream")


def _same_group(one: SpecFacts, other: SpecFacts) -> bool:
    """That is found by `stream-group-shared`, and dead letters follow from it."""
    return all(one.values[path] == other.values[path] for path in ("stream.key", "stream.group"))
