"""Dead letters go back into the stream they came from.

A dead message would be read again, fail again and become a dead letter again, in an endless loop, each time as a new
message with all its attempts.

Remove `dead_letter.key`, since the default is a side key of the stream, or set another key.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    if subject.spec.dead_letter.key == subject.spec.stream.key:
        message = f"`{printable(subject.spec.stream.key)}` is the stream itself ({subject.line('stream.key')})"
        yield subject.problem("dead_letter.key", message, "remove `dead_letter.key`, or set another key")
