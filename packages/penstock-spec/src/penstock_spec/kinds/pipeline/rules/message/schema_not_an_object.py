"""A message schema does not describe an object.

The body of a message is a JSON object. A schema of another type refuses every message, when it is sent and when it is
delivered.

Write `type: object` and describe the fields under `properties`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.message.message_schema import body_of, problem_in_schema
from penstock_spec.kinds.pipeline.message.schema_check import TYPES
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    types = body_of(subject).types
    other = next((one for one in types if one != "object" and one in TYPES), None)
    if other:
        yield problem_in_schema(
            subject,
            ("type",),
            f"it describes `{other}`, but the body of a message is an object",
            "write `type: object`",
        )
