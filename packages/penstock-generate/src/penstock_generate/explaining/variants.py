"""Other values for each field of a model, one field at a time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any, Literal, get_args, get_origin

from penstock_spec.model import Section, key_of
from penstock_spec.reading import Path
from penstock_spec.values.quantities import Version
from penstock_spec.values.quantity import Quantity

OTHER = "zzother"
"""A text that no spec contains by chance."""


def variants(model: Section, path: Path = ()) -> Iterator[tuple[Path, Section]]:
    """The path of a field, and the model with another value there. Not all of them would pass lint."""
    for name, info in type(model).model_fields.items():
        there = (*path, key_of(name, info))
        for inside, value in others(getattr(model, name), info.annotation, there):
            yield inside, model.model_copy(update={name: value})


def others(value: Any, annotation: Any, path: Path) -> Iterator[tuple[Path, Any]]:  # noqa: ANN401 - any field of any model
    """Other values at or below a path."""
    if isinstance(value, Section):
        yield from variants(value, path)
    elif isinstance(value, dict):
        for key, one in value.items():
            for inside, changed in others(one, Any, (*path, key)):
                yield inside, {**value, key: changed}
    elif isinstance(value, (list, tuple)):
        for index, one in enumerate(value):
            for inside, changed in others(one, Any, (*path, index)):
                yield inside, type(value)([*value[:index], changed, *value[index + 1 :]])
    else:
        yield from ((path, one) for one in _scalars(value, annotation))
    if value is not None and type(None) in get_args(annotation):
        yield path, None


def _scalars(value: Any, annotation: Any) -> Iterator[Any]:  # noqa: ANN401 - as above
    """Larger and smaller: a limit may hide one of them."""
    literals = (kind for kind in (annotation, *get_args(annotation)) if get_origin(kind) is Literal)
    choices = [one for kind in literals for one in get_args(kind)]
    if choices:
        yield from (one for one in choices if one != value)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield value * 2 + 1
        yield value // 2
    elif isinstance(value, Version):
        yield from (Version("0.1"), Version("99.9"))
    elif isinstance(value, Quantity):
        yield from (type(value).of(amount) for amount in (value.amount * 2 + 60_000, value.amount // 2))
    elif isinstance(value, date):
        yield value + timedelta(days=1)
    elif isinstance(value, str):
        yield value + OTHER
