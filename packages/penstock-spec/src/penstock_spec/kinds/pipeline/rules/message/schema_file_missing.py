"""The schema file of a model is missing.

Linting, generating and producers in other languages never run a team's code. They read the model's JSON Schema from a
file beside the spec, which is committed with it.

Write the file with `penstock schema message --write`, and again whenever the model changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.message.message_schema import file_of, problem_in_schema
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    file = file_of(subject)
    if file is not None and subject.beside(file) is None:
        message = f"there is no `{printable(file)}` beside the spec"
        yield problem_in_schema(subject, (), message, f"write it with `penstock schema message --write {subject.file}`")
