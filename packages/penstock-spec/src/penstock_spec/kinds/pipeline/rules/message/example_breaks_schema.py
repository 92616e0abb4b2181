"""An example of a message is none that the schema takes.

`examples` at the root of a schema are what people copy, and what `penstock dev` makes messages after. One that the
schema refuses becomes a dead letter at its first delivery.

Write the example as the schema has it, or mend the schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.message.message_schema import schema_of, told
from penstock_spec.kinds.pipeline.message.schema_check import trouble
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.schema import Checked
from penstock_spec.subject import Subject


@spec_rule(Severity.WARNING)
def rule(subject: Subject[Pipeline]) -> Iterator[Found]:
    schema = schema_of(subject)
    examples = schema.get("examples")
    if not isinstance(examples, list) or trouble(schema) is not None:
        return
    checked = Checked(schema)
    for index, example in enumerate(examples):
        wrong = checked.wrong(example)
        if wrong:
            yield told(subject, ("examples", index), wrong, "write an example that the schema takes")
