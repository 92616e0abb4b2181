"""Types of fields in words: "duration", "whole number from 1 to 100", "`reject` or `wait`"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MinLen
from pydantic.fields import FieldInfo

from penstock_spec.model import Number, Section, TypeName, key_of
from penstock_spec.platform import Address
from penstock_spec.values import strings
from penstock_spec.values.bounds import AtLeast
from penstock_spec.values.quantities import Cpu, Duration, Size, Version

LEAVES: dict[Any, str] = {
    bool: "`true` or `false`",
    int: "whole number",
    str: "text",
    Any: "anything",
    Duration: "duration",
    Size: "size",
    Cpu: "CPU quantity",
    Version: "version",
}
NAMED: tuple[tuple[Any, str], ...] = (
    (strings.Text, "text"),
    (strings.Name, "name"),
    (strings.Namespace, "name"),
    (strings.Handler, "`module:name`"),
    (strings.Image, "image"),
    (strings.Key, "key"),
    (strings.Group, "key"),
    (strings.Consumer, "key"),
    (strings.Date, "date"),
    (strings.Url, "URL"),
    (strings.Pointer, "JSON pointer"),
    (strings.File, "file beside the spec"),
    (strings.Field_, "text"),
    (Address, "`host:port`"),
    (Number, "number"),
)
"""Types that are recognized by their validators."""


def in_words(annotation: Any, metadata: Sequence[Any] = ()) -> str:  # noqa: ANN401 - any type expression
    """The type in words."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return in_words(arguments[0], (*arguments[1:], *metadata))
    if called := next((one.words for one in metadata if isinstance(one, TypeName)), ""):
        return called
    if origin in (Union, UnionType):
        return _union([one for one in arguments if one is not NoneType], metadata, nullable=NoneType in arguments)
    if origin is not None:
        return _generic(annotation, metadata)
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return "section"
    named = next((text for type_, text in NAMED if get_args(type_)[1] in metadata), LEAVES.get(annotation, ""))
    return named + _bounds(metadata)


def _generic(annotation: Any, metadata: Sequence[Any]) -> str:  # noqa: ANN401 - as above
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return _either([f"`{one}`" for one in arguments])
    if origin is list:
        at_least = ", at least one" if any(isinstance(one, MinLen) for one in metadata) else ""
        return f"list of {_many(in_words(arguments[0]))}{at_least}"
    return "paths and values" if arguments[1] is Any else f"{_many(in_words(arguments[1]))} by name"


def _union(branches: list[Any], metadata: Sequence[Any], *, nullable: bool) -> str:
    text = in_words(branches[0], metadata) if len(branches) == 1 else _either([_branch(one) for one in branches])
    return f"{text}, or `null`" if nullable else text


def _branch(annotation: Any) -> str:  # noqa: ANN401 - as above
    plain = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    if isinstance(plain, type) and issubclass(plain, Section):
        return "`{" + ", ".join(f"{key}: ..." for key in keys_of(plain)) + "}`"
    return "a JSON Schema" if get_origin(plain) is dict else in_words(plain)


def keys_of(model: type[Section]) -> dict[str, FieldInfo]:
    """The fields of a section by key."""
    return {key_of(name, info): info for name, info in model.model_fields.items()}


def _either(choices: list[str]) -> str:
    return " or ".join(filter(None, (", ".join(choices[:-1]), choices[-1])))


def _many(one: str) -> str:
    return f"{one}s" if one[-1:].isalpha() and not one.endswith("s") else one


def _bounds(metadata: Iterable[Any]) -> str:
    least = greatest = ""
    for one in metadata:
        if isinstance(one, FieldInfo):
            continue
        if isinstance(one, Ge):
            least = f"{one.ge:,}"
        elif isinstance(one, Gt):
            return f" above {one.gt}"
        elif isinstance(one, Le):
            greatest = f"{one.le:,}"
        elif isinstance(one, Lt):
            greatest = f"below {one.lt:,}"
        elif isinstance(one, AtLeast):
            return str(one)
    if least and greatest:
        return f" from {least} to {greatest}"
    return f", at least {least}" if least else (f", at most {greatest}" if greatest else "")
