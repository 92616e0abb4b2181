"""Full files of a model: every field, with its example."""

from __future__ import annotations

from typing import Any

from pydantic.fields import FieldInfo

from penstock_spec.fields import fields_of, parts_in
from penstock_spec.model import Section, key_of
from penstock_spec.reference import values

CHOSEN = "chosen"
"""The key in a mapping whose keys people choose."""


def full(model: type[Section]) -> list[dict[str, Any]]:
    """Files that have every field between them.

    One file cannot have them all: where one of several sections may be at a path, each file has another one.
    """
    choices = max(len(list(parts_in(field.info.annotation))) for field in fields_of(model))
    return [_section(model, number) for number in range(max(1, choices))]


def _section(model: type[Section], number: int) -> dict[str, Any]:
    return {key_of(name, info): _value(info, number) for name, info in model.model_fields.items()}


def _value(info: FieldInfo, number: int) -> object:
    sections = list(parts_in(info.annotation))
    if not sections:
        return values.example(info)
    section, suffix = sections[number % len(sections)]
    value: object = _section(section, number)
    return {"": value, "[]": [value], ".*": {CHOSEN: value}}[suffix]
