"""A message schema is not a valid JSON Schema.

Producers and workers check messages against `message.schema`. An invalid schema cannot be compiled, so no worker and
no producer starts. References must stay inside the schema, because pods validate without network access.

Fix the place that the finding marks. Put shared parts under `$defs`.
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
    problem = schema_problem(schema_of(subject)) if file_of(subject) is None else None
    if problem is not None:
        yield problem_in_schema(subject, problem.path, problem.says, problem.hint)
