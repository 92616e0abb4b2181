"""The fields of a model by path: for suggestions, overrides, reference pages and tests."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from penstock_spec.model import Section, key_of

LONGEST_WORD = 200
"""Longer words get no suggestion: the comparison takes quadratic time, and no field is that long."""


@dataclass(frozen=True, slots=True)
class FieldAt:
    """One field. Its path has `*` for a chosen key and `[]` for an item of a list."""

    path: str
    owner: type[Section]
    name: str
    info: FieldInfo

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.info.is_required()


@cache
def fields_of(model: type[Section]) -> tuple[FieldAt, ...]:
    """All fields in the order of the model, outer before inner."""
    return tuple(_fields(model, ""))


def _fields(model: type[Section], prefix: str) -> Iterator[FieldAt]:
    for name, info in model.model_fields.items():
        path = f"{prefix}{key_of(name, info)}"
        yield FieldAt(path, model, name, info)
        for inner, suffix in parts_in(info.annotation):
            yield from _fields(inner, f"{path}{suffix}.")


def parts_in(annotation: Any, suffix: str = "") -> Iterator[tuple[type[Section], str]]:  # noqa: ANN401 - any type expression
    """The models inside a type, each with the suffix of its path."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield annotation, suffix
        return
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from parts_in(arguments[0], suffix)
    elif origin in (Union, UnionType):
        for one in arguments:
            if one is not NoneType:
                yield from parts_in(one, suffix)
    elif origin is list:
        yield from parts_in(arguments[0], suffix + "[]")
    elif origin is dict:
        yield from parts_in(arguments[1], suffix + ".*")


@cache
def known_paths(model: type[Section]) -> frozenset[str]:
    """The paths of all fields."""
    return frozenset(field.path for field in fields_of(model))


@cache
def has_path(model: type[Section], path: str) -> bool:
    """Whether the path is one of the model. A chosen key matches `*`."""
    known = known_paths(model)
    if path in known:
        return True
    steps = path.split(".")
    patterns = [one.split(".") for one in known if "*" in one]
    same_length = [pattern for pattern in patterns if len(pattern) == len(steps)]
    if any(all(p in ("*", s) for p, s in zip(pattern, steps, strict=True)) for pattern in same_length):
        return True
    # the chosen key itself, such as `retries.classes.never`
    longer = [pattern for pattern in patterns if len(pattern) == len(steps) + 1]
    return bool(steps[-1]) and any(
        pattern[len(steps) - 1] == "*" and all(p in ("*", s) for p, s in zip(pattern, steps, strict=False))
        for pattern in longer
    )


def nearest(word: str, words: list[str] | tuple[str, ...] | frozenset[str]) -> str | None:
    """The most similar known word, or None."""
    if len(word) > LONGEST_WORD:
        return None
    close = difflib.get_close_matches(word, sorted(words), n=1, cutoff=0.6)
    return close[0] if close else None


def path_of_key(model: type[Section], key: str) -> str | None:
    """The only path that ends with this key, for a key in the wrong section."""
    paths = [
        path for path in known_paths(model) if path.rpartition(".")[2] == key and "*" not in path and "[]" not in path
    ]
    return paths[0] if len(paths) == 1 else None
