"""The schema file of a model is not a JSON Schema.

A command writes the file beside the spec from the model in the code. If it was edited by hand, truncated or badly
merged, it cannot be compiled, and no worker and no producer starts.

Write it again with `penstock schema message --write`. If the finding remains, the model itself produces a schema that
pods cannot use.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.message.message_schema import file_of, parse, problem_in_schema
from penstock_spec.kinds.pipeline.message.schema_check import SchemaProblem, schema_problem
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    file = file_of(subject)
    raw = subject.beside(file) if file is not None else None
    if file is None or raw is None:
        return
    value = parse(raw)
    problem = value if isinstance(value, SchemaProblem) else schema_problem(value)
    if problem is not None:
        where = "/" + "/".join(str(step) for step in problem.path) if problem.path else "the file"
        message = f"`{printable(file)}`: {problem.says}" + (f" (at `{printable(where)}`)" if problem.path else "")
        yield problem_in_schema(
            subject, (), message, f"write it again with `penstock schema message --write {subject.file}`"
        )
