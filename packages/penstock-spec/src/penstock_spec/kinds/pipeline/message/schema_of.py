"""The JSON Schema of a pipeline's messages: in its spec, or in the file beside it that was made from a model."""

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
    """The file beside the spec that has the schema, where it is not in the spec."""
    asked = spec.message.schema_
    return _named(asked, spec) if isinstance(asked, SchemaFromCode) else None


def _named(asked: SchemaFromCode, spec: Pipeline) -> str:
    return asked.file or f"{spec.name}.message.json"


def schema_of(spec: Pipeline, folder: Path) -> dict[str, Any]:
    """The schema of a resolved spec that lies in this folder; one that compiles."""
    asked = spec.message.schema_
    if not isinstance(asked, SchemaFromCode):
        wrong, value, where = schema_problem(asked), asked, "`message.schema`"
    else:
        name = _named(asked, spec)
        where = f"`{name}`"
        raw = read_bytes(folder / name, name)
        if not isinstance(raw, bytes):
            says = f"the schema of the messages of `{spec.name}` cannot be had: {where}: {raw.says}"
            raise CannotGoOn(says, "write it with `penstock schema message --write`")
        read = parse(raw)
        wrong = read if isinstance(read, SchemaProblem) else schema_problem(read)
        value = read if isinstance(read, dict) else {}
    if wrong is not None:
        inside = f" (at `/{'/'.join(map(str, wrong.path))}`)" if wrong.path else ""
        raise CannotGoOn(f"{where} of `{spec.name}` is no JSON Schema: {wrong.says}{inside}", wrong.hint)
    return value
