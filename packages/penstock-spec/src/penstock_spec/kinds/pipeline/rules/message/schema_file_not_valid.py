"""The file of a message's schema does not hold a JSON Schema.

The file beside the spec is made by a command from the model in code. Edited by hand, cut short or merged badly it
cannot be compiled, and no worker and no producer would start.

Write it again with `penstock schema message --write`. If the finding stays, the model itself makes a schema that pods
cannot use.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.message.message_schema import file_of, parse, told
from penstock_spec.kinds.pipeline.message.schema_check import Trouble, trouble
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject
from penstock_spec.values.words import shown


@spec_rule(Severity.ERROR)
def rule(subject: Subject[Pipeline]) -> Iterator[Found]:
    file = file_of(subject)
    raw = subject.beside(file) if file is not None else None
    if file is None or raw is None:
        return
    value = parse(raw)
    wrong = value if isinstance(value, Trouble) else trouble(value)
    if wrong is not None:
        where = "/" + "/".join(str(step) for step in wrong.path) if wrong.path else "the file"
        message = f"`{shown(file)}`: {wrong.says}" + (f" (at `{shown(where)}`)" if wrong.path else "")
        yield told(subject, (), message, f"write it again with `penstock schema message --write {subject.file}`")
