"""Retries can take longer than messages or dead letters are kept.

With `stream.retention.keep: {age: ...}` the stream is trimmed by age, but never past an unfinished message. A message
that is retried for longer than that age holds back trimming, so that the stream keeps more entries than configured.
Dead letters are kept from the time they are buried: if retries can take longer than `dead_letter.keep`, the first dead
letters of an incident are deleted before its last message has failed.

Keep both for longer than all attempts and waits together, or shorten the waits.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.stream import KeepAge
from penstock_spec.kinds.pipeline.waits import longest_retries
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    longest, reason, at = longest_retries(subject)
    keep = subject.spec.stream.retention.keep
    if isinstance(keep, KeepAge) and keep.age < longest:
        message = f"{reason}, and trimming stops at unfinished messages"
        yield subject.problem("stream.retention.keep.age", message, f"keep entries for at least `{longest}`")
    dead = subject.spec.dead_letter.keep
    if dead < longest:
        given = subject.is_set("dead_letter.keep")
        message = reason if given else f"{reason}, and `dead_letter.keep` is {dead} by default"
        message += ", so the first dead letters of an incident are deleted before its last messages fail"
        hint = f"set `dead_letter.keep` to at least `{longest}`"
        yield subject.problem("dead_letter.keep" if given else at, message, hint)
