"""The keywords of JSON Schema, of all supported drafts. Validators silently ignore any other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from penstock_spec.fields import nearest
from penstock_spec.kinds.pipeline.message.schema_check import EXPECTED, LISTED, NAMED, SINGLE, schemas
from penstock_spec.reading import Path

VALUES = ("const", "default", "dependentRequired", "$vocabulary")
"""Keywords whose value may be any mapping."""

KEYWORDS = frozenset((*NAMED, *LISTED, *SINGLE, *VALUES, *EXPECTED)) | {
    "$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor", "$recursiveRef", "$ref",
    "$schema", "contentEncoding", "contentMediaType", "deprecated", "description", "examples", "format",
    "maxContains", "minContains", "readOnly", "title", "type", "uniqueItems", "writeOnly",
}  # fmt: skip

FROM_MODELS = frozenset({"discriminator"})
"""Keywords that pydantic writes for OpenAPI."""


class UnknownKeyword(NamedTuple):
    """An unknown keyword, and the keyword that was probably meant."""

    path: Path
    value: object
    close: str | None

    @property
    def name(self) -> str:
        """The keyword as written."""
        return str(self.path[-1])


def unknown_keywords(schema: dict[str, Any]) -> Iterator[UnknownKeyword]:
    """All unknown keywords in a schema, except extensions (`x-...`)."""
    for path, part in schemas(schema):
        for word, value in part.items() if isinstance(part, dict) else ():
            if word in KEYWORDS or word in FROM_MODELS or word.startswith("x-"):
                continue
            if word == "id" and isinstance(value, str):  # `$id` in draft 4, and a common field name
                continue
            fitting = frozenset((*NAMED, *LISTED, *SINGLE, *VALUES)) if isinstance(value, dict) else KEYWORDS
            yield UnknownKeyword((*path, word), value, nearest(word, fitting))
