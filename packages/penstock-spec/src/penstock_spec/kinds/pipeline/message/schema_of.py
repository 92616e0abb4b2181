"""The JSON Schema of a pipeline's messages, from the spec or from the file beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from penstock_spec.files import read_bytes
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.message.message_schema import parse
from penstock_spec.kinds.pipeline.message.schema_check import SchemaProblem, schema_problem
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.stream import SchemaFromCode


def file_of(spec: Pipeline) -> str | None:
    """The file beside the spec with the schema, or None if it is inline."""
    schema = spec.message.schema_
    return _named(schema, spec) if isinstance(schema, SchemaFromCode) else None


def _named(schema: SchemaFromCode, spec: Pipeline) -> str:
    return schema.file or f"{spec.name}.message.json"


def schema_of(spec: Pipeline, folder: Path) -> dict[str, Any]:
    """The schema of a resolved spec in this folder. It is valid, otherwise this raises `CannotGoOn`."""
    schema = spec.message.schema_
    if not isinstance(schema, SchemaFromCode):
        problem, value, where = schema_problem(schema), schema, "`message.schema`"
    else:
        name = _named(schema, spec)
        where = f"`{name}`"
        raw = read_bytes(folder / name, name)
        if not isinstance(raw, bytes):
            says = f"the message schema of `{spec.name}` cannot be read: {where}: {raw.says}"
            raise CannotGoOn(says, "write it with `penstock schema message --write`")
        read = parse(raw)
        problem = read if isinstance(read, SchemaProblem) else schema_problem(read)
        value = read if isinstance(read, dict) else {}
    if problem is not None:
        inside = f" (at `/{'/'.join(map(str, problem.path))}`)" if problem.path else ""
        raise CannotGoOn(f"{where} of `{spec.name}` is not a JSON Schema: {problem.says}{inside}", problem.hint)
    return value
