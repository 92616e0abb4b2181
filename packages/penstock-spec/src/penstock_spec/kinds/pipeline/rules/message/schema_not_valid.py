"""A message's schema is not a JSON Schema.

Sends and deliveries are checked against `message.schema`. What is not a valid schema cannot be compiled, so that no
worker and no producer would start. References may lead to places in the schema itself and nowhere else: a pod
validates without a network.

Put right what the finding points at. What should be shared goes under `$defs`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.message.message_schema import file_of, schema_of, told
from penstock_spec.kinds.pipeline.message.schema_check import trouble
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject


@spec_rule(Severity.ERROR)
def rule(subject: Subject[Pipeline]) -> Iterator[Found]:
    wrong = trouble(schema_of(subject)) if file_of(subject) is None else None
    if wrong is not None:
        yield told(subject, wrong.path, wrong.says, wrong.hint)
