"""The base of all models: strict, closed, frozen, with a description and an example for each field."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from penstock_spec.reading.scalars import plain


class Section(BaseModel):
    """A section of a spec or of the platform file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, arbitrary_types_allowed=False)


def number(value: object) -> int | float:
    """A whole number or a fraction, kept as written."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        quoted = isinstance(value, str) and isinstance(plain(value), (int, float))
        raise PydanticCustomError(
            "wrong-type", "expected a number", {"hint": f"write `{value}`, without quotes"} if quoted else {}
        )
    if not math.isfinite(value):
        raise PydanticCustomError("out-of-range", "it is not a finite number")
    return value


Number = Annotated[
    Any,
    PlainValidator(number),
    WithJsonSchema({"type": "number"}),
]
"""A whole number or a fraction, kept as written."""


def about(says: str, example: object, *, derived: str = "", **bounds: Any) -> Any:  # noqa: ANN401 - what pydantic takes
    """The description and the example of a field; `derived` describes a default that depends on other fields."""
    extra: dict[str, Any] | None = {"derived": derived} if derived else None
    return Field(description=says, examples=[example], json_schema_extra=extra, **bounds)


@dataclass(frozen=True, slots=True)
class TypeName:
    """The name of a type on the reference pages: `Annotated[str, ..., TypeName("time zone")]`."""

    words: str


def key_of(name: str, field: FieldInfo) -> str:
    """The key of a field in a file."""
    return field.alias or name
