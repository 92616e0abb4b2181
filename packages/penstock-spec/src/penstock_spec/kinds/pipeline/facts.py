"""Facts about a pipeline for rules over several specs, beyond the values of its fields."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.kinds.pipeline.message.message_schema import schema_of
from penstock_spec.kinds.pipeline.message.schema_check import schema_problem
from penstock_spec.kinds.pipeline.spec import Pipeline


def facts(subject: SpecContext[Pipeline]) -> Iterator[tuple[str, object]]:
    """The schema of its messages, inline or from a file. An invalid schema is left out; it has rules of its own."""
    schema = schema_of(subject)
    if schema and schema_problem(schema) is None:
        yield "message.schema", schema
