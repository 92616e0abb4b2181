"""Messages may lack the field by which logs and traces find them.

`message.correlate` is what ties the logs, the traces and the dead letter of one message together. The schema
describes the field but does not require it, and nothing makes it: messages without it cannot be found.

Add it to `required` in the schema, or write `make_correlation: true`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.message.message_schema import body_of
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject
from penstock_spec.values.words import shown


@spec_rule(Severity.WARNING)
def rule(it: Subject[Pipeline]) -> Iterator[Found]:
    """A described field that correlates is required, or made."""
    message, body = it.spec.message, body_of(it)
    field = message.correlate
    if field in body.names and field not in body.required and not message.make_correlation:
        says = f"the schema does not require `{shown(field)}` ({it.line('message.schema')})"
        yield it.problem("message.correlate", says, "add it to `required`, or write `make_correlation: true`")
