"""What rules across specs may know of a pipeline beside the values of its fields."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.kinds.pipeline.message.message_schema import schema_of
from penstock_spec.kinds.pipeline.message.schema_check import trouble
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.subject import Subject


def facts(subject: Subject[Pipeline]) -> Iterator[tuple[str, object]]:
    """The schema of its messages, wherever it stands; nothing where it is none, which is told elsewhere."""
    schema = schema_of(subject)
    if schema and trouble(schema) is None:
        yield "message.schema", schema
