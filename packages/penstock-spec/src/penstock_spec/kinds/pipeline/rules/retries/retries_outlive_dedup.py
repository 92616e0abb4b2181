"""The deduplication window is shorter than the retries.

Deduplication remembers a message for `message.dedup.window` after it was sent. If its attempts and the waits between
them can take longer, a message can be forgotten while it waits for a retry. A second send is then accepted, and the
same work runs twice at the same time.

Make the window at least as long as all attempts and waits together, or shorten the waits. Add the time that messages
spend in the backlog.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.waits import longest_retries
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    dedup = subject.spec.message.dedup
    longest, reason, _ = longest_retries(subject)
    if dedup is not None and dedup.window < longest:
        yield subject.problem("message.dedup.window", reason, f"set `message.dedup.window` to at least `{longest}`")
