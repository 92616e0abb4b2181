"""The schema of a model in code was not written.

Linting, generating and producers in other languages never run a team's code. They read the model's JSON Schema from a
file beside the spec, which is committed with it.

Write the file with `penstock schema message --write`, and again whenever the model changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.message.message_schema import file_of, told
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject
from penstock_spec.values.words import shown


@spec_rule(Severity.ERROR)
def rule(subject: Subject[Pipeline]) -> Iterator[Found]:
    file = file_of(subject)
    if file is not None and subject.beside(file) is None:
        message = f"there is no `{shown(file)}` beside the spec"
        yield told(subject, (), message, f"write it with `penstock schema message --write {subject.file}`")
