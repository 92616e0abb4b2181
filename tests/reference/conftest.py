"""The smallest specs around one value, and specs that have every field."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic.fields import FieldInfo

from penstock_spec.fields import FieldAt, fields_of, parts_in
from penstock_spec.model import Section, key_of

Around = Callable[[type[Section], FieldAt, object], dict[str, Any]]
Data = dict[str, Any]


@pytest.fixture(scope="session")
def around() -> Around:
    """Data of a model with a value at the path of a field, and beside it only what is required there."""

    def around(model: type[Section], field: FieldAt, value: object) -> Data:
        chain = [one for one in fields_of(model) if field.path.startswith((f"{one.path}.", f"{one.path}[]."))]
        for outer, inner in reversed(list(zip([None, *chain], [*chain, field], strict=True))):
            value = required(inner.owner) | {key_of(inner.name, inner.info): value}
            between = inner.path[len(outer.path) :] if outer else ""
            if between.startswith(".*."):
                value = {"chosen": value}
            elif between.startswith("[]."):
                value = [value]
        assert isinstance(value, dict)
        return value

    return around


def required(model: type[Section]) -> Data:
    return {
        key_of(name, info): (info.examples or [])[0] for name, info in model.model_fields.items() if info.is_required()
    }


Full = Callable[[type[Section]], list[Data]]


@pytest.fixture(scope="session")
def full() -> Full:
    """Files that have every field between them, made of the examples of the model.

    One file cannot have them all: of several sections that may be at one path, each file has another.
    """
    return lambda model: [_full(model, number) for number in range(max(map(_choices, fields_of(model))))]


def _choices(field: FieldAt) -> int:
    return max(1, len(list(parts_in(field.info.annotation))))


def _full(model: type[Section], number: int) -> Data:
    return {key_of(name, info): _full_value(info, number) for name, info in model.model_fields.items()}


def _full_value(info: FieldInfo, number: int) -> object:
    sections = list(parts_in(info.annotation))
    if not sections:
        return (info.examples or [])[0]
    section, suffix = sections[number % len(sections)]
    value: object = _full(section, number)
    for one in reversed(suffix.replace("[]", "[").replace(".*", "*")):
        value = [value] if one == "[" else {"chosen": value}
    return value
