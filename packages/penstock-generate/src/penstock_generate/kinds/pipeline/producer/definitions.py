"""Python source of type definitions."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator

from penstock_generate.kinds.pipeline.producer.object_types import Field, ObjectType
from penstock_generate.rendering.python_literals import literal

PLAIN = re.compile(r"[a-z][A-Za-z0-9_]*|_[a-z0-9][A-Za-z0-9_]*")
"""Names that can be fields of a class. A class would mangle two leading underscores; capitals could hide a type."""
TYPES = frozenset({"bool", "dict", "float", "int", "list", "str"})
"""Names that a field must not hide inside its class."""
VAGUE = "  # more precise than a type: see schema.json"


def definition(shape: ObjectType) -> str:
    """The definition of an object's type."""
    as_class = all(_fits(one.name) for one in shape.fields)
    return "".join(f"{line}\n" for line in (_class(shape) if as_class else _call(shape)))


def alias(expression: str) -> str:
    """The definition for a message that is no object with fields."""
    return f"Message = {expression}\n"


def _fits(name: str) -> bool:
    return bool(PLAIN.fullmatch(name)) and not keyword.iskeyword(name) and name not in TYPES


def _class(shape: ObjectType) -> Iterator[str]:
    yield f"class {shape.name}(TypedDict):"
    if shape.description:
        yield f"    {_docstring(shape.description)}"
        yield ""
    for one in shape.fields:
        yield f"    {one.name}: {_typed(one)}{VAGUE if one.vague else ''}"
        if one.description:
            yield f"    {_docstring(one.description)}"


def _call(shape: ObjectType) -> Iterator[str]:
    """The functional form, with types as strings: they may be defined later."""
    yield f"{shape.name} = TypedDict("
    yield f"    {literal(shape.name)},"
    yield "    {"
    for one in shape.fields:
        yield f"        {literal(one.name)}: {literal(_typed(one))},{VAGUE if one.vague else ''}"
    yield "    },"
    yield ")"


def _docstring(text: str) -> str:
    return f'""{literal(text)}""'


def _typed(one: Field) -> str:
    return one.type if one.required else f"NotRequired[{one.type}]"
