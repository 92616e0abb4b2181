"""A pipeline works on the dead letters of another.

Dead letters wait for a person: they carry the story of their failure, and are trimmed after `dead_letter.keep`,
whether or not a group has read them. A pipeline that reads them as its input loses what is trimmed before it gets
there, meets messages in a form that no producer sent, and deletes the evidence when it is done.

Bury into a key that no pipeline reads. To try dead letters again, replay them into their own stream, or send from the
handler to the second pipeline's stream before the last attempt fails.
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
            message = f"{member.line('dead_letter.key')} buries into `{dead}`, by default"
            yield reader.problem("stream.key", message, "read another stream")
        else:
            message = f"{reader.line('stream.key')} reads `{dead}` as its input"
            yield member.problem("dead_letter.key", message, "bury into a key that no pipeline reads, or leave it out")
