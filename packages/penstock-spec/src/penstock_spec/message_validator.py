"""Validate a message of a spec against the JSON Schema of the pipeline that receives it."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs as compiled

from penstock_spec.values.strings import printable


class MessageValidator:
    """A validator for messages by a valid JSON Schema."""

    def __init__(self, schema: dict[str, Any]) -> None:
        """Compile the schema. As in pods, formats are not checked."""
        self._schema = compiled.validator_for(_plain(schema), validate_formats=False)

    def first_error(self, message: object) -> str:
        """The first error with its place in the message; empty for a valid message."""
        error = next(iter(self._schema.iter_errors(_plain(message))), None)
        if error is None:
            return ""
        at = "".join(f"/{step}" for step in error.instance_path)
        return printable(f"{error.message} (at `{at}`)" if at else error.message, 200)


def _plain(value: object) -> Any:  # noqa: ANN401 - any JSON value
    """The value with plain JSON numbers; numbers from YAML remember their text."""
    return json.loads(json.dumps(value))
