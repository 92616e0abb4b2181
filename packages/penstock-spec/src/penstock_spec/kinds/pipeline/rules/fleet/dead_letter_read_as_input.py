"""A pipeline reads the dead letters of another.

Dead letters are for people: they record why a message failed, and are trimmed after `dead_letter.keep` even if a group
has not read them. A pipeline that reads them as its input loses the ones trimmed before it reads them, receives
entries in a format that no producer sends, and deletes the record of the failure when it is done.

Use a dead letter key that no pipeline reads. To process dead letters again, replay them into their own stream. To
process failures in a second pipeline, let the handler send to its stream before the last attempt fails.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import Fleet, SpecFacts
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.derive import dead_letters
from penstock_spec.reading import Problem
from penstock_spec.rules.define import fleet_rule


@fleet_rule(Severity.ERROR)
def rule(fleet: Fleet) -> Iterator[Problem]:
    readers: dict[str, SpecFacts] = {}
    for member in fleet.of("pipeline"):
        readers.setdefault(member.values["stream.key"], member)
    for member in fleet.of("pipeline"):
        dead = member.values["dead_letter.key"]
        reader = readers.get(dead)
        if reader is None or reader is member:
            continue
        if dead == dead_letters(member.values["stream.key"], member.values["stream.group"]):
            message = f"{member.line('dead_letter.key')} writes dead letters to `{dead}` by default"
            yield reader.problem("stream.key", message, "read another stream")
        else:
            message = f"{reader.line('stream.key')} reads `{dead}` as its input"
            yield member.problem(
                "dead_letter.key", message, "use a key that no pipeline reads, or remove `dead_letter.key`"
            )
