"""Messages may lack their correlation field.

`message.correlate` links the logs, traces and dead letter of one message. The schema describes the field but does not
require it, and Penstock does not create it either, so messages without it cannot be found.

Add the field to `required` in the schema, or set `make_correlation: true`.
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
        yield subject.problem("message.correlate", message, "add it to `required`, or set `make_correlation: true`")
