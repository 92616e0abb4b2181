"""Messages may lack their deduplication key.

`message.dedup.by` names the field by which a second send of the same message is recognized. The schema describes the
field but does not require it. Without it, a message that is sent twice runs twice.

Add the field to `required` in the schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.message.message_schema import body_of
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    dedup, body = subject.spec.message.dedup, body_of(subject)
    if dedup is not None and dedup.by in body.names and dedup.by not in body.required:
        message = f"the schema does not require `{printable(dedup.by)}` ({subject.line('message.schema')})"
        yield subject.problem("message.dedup.by", message, f"add `{printable(dedup.by)}` to `required` in the schema")
