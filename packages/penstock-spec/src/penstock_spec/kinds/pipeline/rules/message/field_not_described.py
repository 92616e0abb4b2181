"""A field is used that the schema does not describe.

`correlate`, `dedup.by` and `log_fields` name fields of the body. The schema lists its fields, and this one is not
among them. It probably has another name there; with the wrong name, logs lack the field and nothing is deduplicated.

Write the name as in the schema, describe the field there, or add `additionalProperties: true` if the schema should
allow other fields.
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


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    body = body_of(subject)
    if not body.names or body.allows_others or body.allowed is not None:
        return
    for path, field in used_fields(subject.spec.message):
        if field not in body.names:
            close = nearest(field, body.names)
            message = f"the schema does not describe `{printable(field)}` ({subject.line('message.schema')})"
            yield subject.problem(
                path,
                message,
                f"write `{printable(close)}`" if close else f"describe `{printable(field)}` in the schema",
            )
