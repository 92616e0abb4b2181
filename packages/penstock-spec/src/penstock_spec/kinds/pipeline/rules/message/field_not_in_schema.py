"""A field is used that the schema forbids.

`correlate`, `dedup.by` and `log_fields` name fields of the body. The schema refuses all fields that it does not
describe (`additionalProperties: false`): a message with this field is refused, and a message without it lacks a field
that the spec needs.

Write the name as in the schema, or describe the field there.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.fields import nearest
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.message.message_schema import body_of, used_fields
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    body = body_of(subject)
    for path, field in used_fields(subject.spec.message):
        if body.allowed is not None and field not in body.allowed:
            close = nearest(field, body.allowed)
            message = (
                f"the schema has no `{printable(field)}` and allows no other fields ({subject.line('message.schema')})"
            )
            yield subject.problem(
                path,
                message,
                f"write `{printable(close)}`" if close else f"describe `{printable(field)}` in the schema",
            )
