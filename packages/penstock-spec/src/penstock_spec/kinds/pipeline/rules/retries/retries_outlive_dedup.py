"""A message that is sent again runs beside its own retry.

Deduplication remembers a message for `message.dedup.window` from its sending. When the attempts and the waits between
them may take longer, a message can be forgotten while it waits for its next attempt. Whoever sends it again then has
two of it at work.

Make the window at least as long as a message may live in retries, or shorten the waits. The time in the backlog comes
on top.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.waits import longest_life
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    dedup = subject.spec.message.dedup
    longest, because, _ = longest_life(subject)
    if dedup is not None and dedup.window < longest:
        yield subject.problem("message.dedup.window", because, f"set `message.dedup.window` to at least `{longest}`")
