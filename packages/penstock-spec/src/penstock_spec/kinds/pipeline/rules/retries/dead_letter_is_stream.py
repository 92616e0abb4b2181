"""Dead letters go back into the stream they came from.

A message that was given up would be read again at once, fail again and be buried again, for ever, and each time as a
new message with all of its attempts.

Give the dead letters a key of their own, or take `dead_letter.key` out: by default it is a side key of the stream.
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
        yield subject.problem("dead_letter.key", message, "take it out, or name another key")
