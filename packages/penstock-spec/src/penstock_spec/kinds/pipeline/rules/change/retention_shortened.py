"""Messages or dead letters are kept for less long than before.

What lies beyond the new retention is deleted at the janitor's next round, and cannot be had back: history that other
groups or an audit wanted to read, or dead letters that nobody has looked at. A length and an age cannot be compared,
so going from one to the other counts as well; and `until-done` deletes a message with its last step.

See that nobody needs what will go: other groups (`XINFO GROUPS`), and the dead letters (`penstock dlq list`). Then
say so in the spec, under `acknowledge`, with the change `shorten-retention` and the last day on which it counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import ChangeContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.stream import KeepAge, KeepLength, Retention
from penstock_spec.reading import Problem
from penstock_spec.rules.define import change_rule


@change_rule(Severity.ERROR, "shorten-retention")
def rule(change: ChangeContext[Pipeline]) -> Iterator[Problem]:
    before, after = change.before.stream.retention, change.after.stream.retention
    if _shorter(before, after):
        yield change.problem("stream.retention.keep", f"it was {_told(before)}, and older messages are deleted")
    kept, keeps = change.before.dead_letter.keep, change.after.dead_letter.keep
    if keeps < kept:
        yield change.problem("dead_letter.keep", f"it was {kept}, and older dead letters are deleted")


def _shorter(before: Retention, after: Retention) -> bool:
    if before.keeps_nothing or before == after:
        return False
    match before.keep, after.keep:
        case KeepLength(length=was), KeepLength(length=now):
            return now < was
        case KeepAge(age=long), KeepAge(age=short):
            return short < long
        case _:
            return True


def _told(retention: Retention) -> str:
    match retention.keep:
        case KeepLength(length=length):
            return f"{length} entries"
        case KeepAge(age=age):
            return str(age)
        case _:
            return f"`{retention.keep}`"
