"""Messages are still tried when others of their age are gone.

A stream that keeps entries for a time is trimmed by age, and trimming never passes unfinished work: one message that
is tried for longer than `keep: {age: ...}` holds back the trimming of all that came after it, so that the stream
keeps more than was said. Dead letters are kept from their burial on: when the retries take longer than
`dead_letter.keep`, the first dead letters of an incident are gone before its last message has failed.

Keep for longer than the attempts and the waits between them may take, or shorten the waits.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.stream import KeepAge
from penstock_spec.kinds.pipeline.waits import longest_life
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    longest, because, at = longest_life(subject)
    keep = subject.spec.stream.retention.keep
    if isinstance(keep, KeepAge) and keep.age < longest:
        message = f"{because}, and trimming waits for the message"
        yield subject.problem("stream.retention.keep.age", message, f"keep entries for at least `{longest}`")
    dead = subject.spec.dead_letter.keep
    if dead < longest:
        given = subject.given("dead_letter.keep")
        message = because if given else f"{because}, and `dead_letter.keep` is {dead} by default"
        message += ", so an incident's first dead letters go before its last come"
        hint = f"set `dead_letter.keep` to at least `{longest}`"
        yield subject.problem("dead_letter.keep" if given else at, message, hint)
