"""The encoding `fields` cannot hold objects or lists.

With `encoding: fields` each field of the body becomes a field of the stream entry, which is text. A message with an
object or a list in a field cannot be sent.

Use `encoding: {json: data}`, which supports bodies of any shape, or flatten the field.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.message.message_schema import problem_in_schema, read, schema_of
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    if subject.spec.message.encoding != "fields":
        return
    schema = schema_of(subject)
    properties = schema.get("properties")
    for name, part in properties.items() if isinstance(properties, dict) else ():
        nested = next((one for one in read(schema, part).types if one in ("array", "object")), None)
        if nested:
            line = subject.line("message.encoding")
            message = f"`{printable(name)}` is an {nested}, but the encoding `fields` supports only text ({line})"
            yield problem_in_schema(
                subject, ("properties", name), message, "use `encoding: {json: data}`, or flatten the field"
            )
