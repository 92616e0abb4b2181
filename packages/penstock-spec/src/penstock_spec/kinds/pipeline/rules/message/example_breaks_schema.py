"""An example message does not match its schema.

People copy the `examples` at the root of a schema, and `penstock dev` creates messages from them. A message that the
schema refuses becomes a dead letter at its first delivery.

Correct the example or the schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.message.message_schema import problem_in_schema, schema_of
from penstock_spec.kinds.pipeline.message.schema_check import schema_problem
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.message_validator import MessageValidator
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    schema = schema_of(subject)
    examples = schema.get("examples")
    if not isinstance(examples, list) or schema_problem(schema) is not None:
        return
    validator = MessageValidator(schema)
    for index, example in enumerate(examples):
        error = validator.first_error(example)
        if error:
            yield problem_in_schema(subject, ("examples", index), error, "write an example that matches the schema")
