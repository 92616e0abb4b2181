"""A message's schema describes something that no body is.

The body of a message is a JSON object: fields with values. A schema of another type refuses every message, at each
send and at each delivery.

Write `type: object`, and describe the fields under `properties`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.message.message_schema import body_of, told
from penstock_spec.kinds.pipeline.message.schema_check import TYPES
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject


@spec_rule(Severity.ERROR)
def rule(subject: Subject[Pipeline]) -> Iterator[Found]:
    types = body_of(subject).types
    other = next((one for one in types if one != "object" and one in TYPES), None)
    if other:
        yield told(
            subject,
            ("type",),
            f"it describes `{other}`, and the body of a message is an object",
            "write `type: object`",
        )
