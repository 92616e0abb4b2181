"""The retention of messages or dead letters is shortened.

The janitor's next round deletes everything beyond the new retention, and it cannot be restored: history that other
groups or an audit still need, or dead letters that nobody has read yet. A length and an age cannot be compared, so
changing from one to the other counts too; `until-done` deletes each message when it is done.

Make sure that nobody needs the deleted messages: check other groups (`XINFO GROUPS`) and the dead letters (`penstock
dlq list`). Then acknowledge the change in the spec: under `acknowledge`, write `change: shorten-retention`, a reason
and an end date.
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
        yield change.problem("stream.retention.keep", f"it was {_describe(before)}; older messages are deleted")
    kept, keeps = change.before.dead_letter.keep, change.after.dead_letter.keep
    if keeps < kept:
        yield change.problem("dead_letter.keep", f"it was {kept}; older dead letters are deleted")


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


def _describe(retention: Retention) -> str:
    match retention.keep:
        case KeepLength(length=length):
            return "1 entry" if length == 1 else f"{length} entries"
        case KeepAge(age=age):
            return str(age)
        case _:
            return f"`{retention.keep}`"
