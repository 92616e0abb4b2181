"""Generates the JSON Schema of a message from a model in the team's code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.handling.team_code import CodeReference, find
from penstock_spec.files import File
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.stream import SchemaFromCode
from penstock_spec.linting.lint import load
from penstock_spec.repository import Repository, read_inputs
from penstock_spec.values.strings import Name


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model that a spec names, and the file for its schema."""

    spec: str
    model: str
    file: Path


def models_in(repository: Repository) -> Iterator[NamedModel]:
    """The models that the specs of a repository name. Raises CannotGoOn if a selected spec names none."""
    for file in read_inputs(repository).specs:
        model = _model_of(file)
        if model:
            yield model
        elif not repository.complete:
            raise CannotGoOn(f"{file.name} names no model", "its message schema is in the spec itself")


def _model_of(file: File) -> NamedModel | None:
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415 - heavy

    document = load(file)
    if document.problems or not isinstance(document.data, dict):
        raise CannotGoOn(f"{file.name} has errors", f"see `penstock lint {file.name}`")
    message = document.data.get("message")
    schema = message.get("schema") if isinstance(message, dict) else None
    if not isinstance(schema, dict) or "model" not in schema:
        return None
    try:
        name = TypeAdapter(Name).validate_python(document.data.get("name"))
        source = SchemaFromCode.model_validate(schema)
    except ValidationError:
        raise CannotGoOn(f"{file.name} has errors", f"see `penstock lint {file.name}`") from None
    return NamedModel(file.name, source.model, file.path.parent / (source.file or f"{name}.message.json"))


def schema_of(named: NamedModel, paths: tuple[Path, ...]) -> dict[str, Any]:
    """The JSON Schema of a pydantic model, a dataclass or a TypedDict. Imports the team's code."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - heavy
    from pydantic.errors import PydanticUserError  # noqa: PLC0415 - as above

    hint = "name the folder with the code by `--path`"
    model = find(CodeReference(named.model, "message.schema.model", named.spec, hint), paths)
    try:
        return TypeAdapter(model).json_schema()
    except PydanticUserError as error:
        says = f"`{named.model}` has no JSON Schema: {error.message.partition('. ')[0]}"
        raise CannotGoOn(says, "name a pydantic model, a dataclass or a TypedDict") from None


def compare(file: Path, text: str) -> str:
    """Describe the differences between the file and the code; empty if they agree."""
    try:
        written = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return "missing"
    except (OSError, ValueError) as error:
        return f"cannot be read: {error}"
    current = json.loads(text)
    if written == current:
        return ""
    return "differs from the code: " + "; ".join(_differences(written, current, "")[:5])


def _differences(old: Any, new: Any, path: str) -> list[str]:  # noqa: ANN401 - JSON
    if isinstance(old, dict) and isinstance(new, dict):
        differences = [f"`{path}{key}` is new" for key in new if key not in old]
        differences += [f"`{path}{key}` is gone" for key in old if key not in new]
        for key in old:
            if key in new and old[key] != new[key]:
                differences += _differences(old[key], new[key], f"{path}{key}.")
        return differences
    return [f"`{path.rstrip('.')}` was `{json.dumps(old)}` and is `{json.dumps(new)}`"]
