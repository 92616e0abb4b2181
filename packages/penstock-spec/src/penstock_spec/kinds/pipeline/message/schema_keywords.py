"""The words of JSON Schema, of all drafts that pods know. A validator passes over any other in silence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from penstock_spec.fields import nearest
from penstock_spec.kinds.pipeline.message.schema_check import LISTED, NAMED, SINGLE, TAKES, schemas
from penstock_spec.reading import Path

VALUES = ("const", "default", "dependentRequired", "$vocabulary")
"""Keywords that may hold any mapping, or one of their own."""

KEYWORDS = frozenset((*NAMED, *LISTED, *SINGLE, *VALUES, *TAKES)) | {
    "$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor", "$recursiveRef", "$ref",
    "$schema", "contentEncoding", "contentMediaType", "deprecated", "description", "examples", "format",
    "maxContains", "minContains", "readOnly", "title", "type", "uniqueItems", "writeOnly",
}  # fmt: skip

FROM_MODELS = frozenset({"discriminator"})
"""Written by pydantic beside `oneOf`, for OpenAPI."""


class Unknown(NamedTuple):
    """A word at a place of a keyword, and the keyword that was probably meant."""

    path: Path
    value: object
    close: str | None

    @property
    def word(self) -> str:
        """As it is written."""
        return str(self.path[-1])


def unknown(schema: dict[str, Any]) -> Iterator[Unknown]:
    """Words that are no keywords, wherever a schema stands; `x-...` is anybody's."""
    for path, part in schemas(schema):
        for word, value in part.items() if isinstance(part, dict) else ():
            if word in KEYWORDS or word in FROM_MODELS or word.startswith("x-"):
                continue
            if word == "id" and isinstance(value, str):  # draft 4's name for `$id`, and many a field's name
                continue
            fitting = frozenset((*NAMED, *LISTED, *SINGLE, *VALUES)) if isinstance(value, dict) else KEYWORDS
            yield Unknown((*path, word), value, nearest(word, fitting))
