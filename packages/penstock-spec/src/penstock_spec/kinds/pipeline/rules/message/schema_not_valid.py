"""A message's schema is not a JSON Schema.

Sends and deliveries are checked against `message.schema`. What is not a valid schema cannot be compiled, so that no
worker and no producer would start. References may lead to places in the schema itself and nowhere else: a pod
validates without a network.

Put right what the finding points at. What should be shared goes under `$defs`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.message.message_schema import file_of, problem_in_schema, schema_of
from penstock_spec.kinds.pipeline.message.schema_check import schema_problem
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    wrong = schema_problem(schema_of(subject)) if file_of(subject) is None else None
    if wrong is not None:
        yield problem_in_schema(subject, wrong.path, wrong.says, wrong.hint)
