"""A message that stands in a spec, held against the JSON Schema of what takes it."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs as compiled

from penstock_spec.values.strings import printable


class MessageValidator:
    """What a schema without trouble has against messages."""

    def __init__(self, schema: dict[str, Any]) -> None:
        """Formats are told and not checked, as pods have it."""
        self._schema = compiled.validator_for(_plain(schema), validate_formats=False)

    def wrong(self, message: object) -> str:
        """The first thing, and where in the message; nothing where it may be sent."""
        error = next(iter(self._schema.iter_errors(_plain(message))), None)
        if error is None:
            return ""
        at = "".join(f"/{step}" for step in error.instance_path)
        return printable(f"{error.message} (at `{at}`)" if at else error.message, 200)


def _plain(value: object) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Numbers as JSON has them: those of a file remember how they were written."""
    return json.loads(json.dumps(value))
