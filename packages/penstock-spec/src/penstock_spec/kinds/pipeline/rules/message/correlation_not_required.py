"""Messages may lack the field by which logs and traces find them.

`message.correlate` is what ties the logs, the traces and the dead letter of one message together. The schema
describes the field but does not require it, and nothing makes it: messages without it cannot be found.

Add it to `required` in the schema, or write `make_correlation: true`.
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


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    spec, body = subject.spec.message, body_of(subject)
    field = spec.correlate
    if field in body.names and field not in body.required and not spec.make_correlation:
        message = f"the schema does not require `{printable(field)}` ({subject.line('message.schema')})"
        yield subject.problem("message.correlate", message, "add it to `required`, or write `make_correlation: true`")
