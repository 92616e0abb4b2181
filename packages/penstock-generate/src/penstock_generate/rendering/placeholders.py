"""Texts with placeholders: the part that many specs share is rendered once, then each spec's values are filled in.

Rendering a dashboard takes milliseconds; filling one in takes tens of microseconds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring as _text
from typing import Any, NamedTuple, Self

from penstock_generate.rendering.yaml_text import scalar
from penstock_spec.values.yaml_text import quoted

# Private characters, which no template or panel contains.
OPEN, CLOSE = "\ue000", "\ue001"

_other = json.JSONEncoder(ensure_ascii=False).encode


def _as_json(value: object) -> str:
    """Fast for strings and integers, which are most of the values."""
    return _text(value) if type(value) is str else str(value) if type(value) is int else _other(value)


def placeholder(name: str) -> str:
    """A placeholder. If it is all of a string, the value replaces the string with its own type."""
    return f"{OPEN}{name}{CLOSE}"


class Placeholder(NamedTuple):
    """A placeholder in a text."""

    name: str
    whole: bool
    """Whether it is all of a string, not a part of one."""


@dataclass(frozen=True, slots=True)
class Notation:
    """A format: how it writes values, and how placeholders look in it."""

    placeholder: re.Pattern[str]
    """Matches a placeholder that is all of a string, with its quotes, or one inside a string."""
    whole: Callable[[Any], str]
    """Writes a value."""
    inside: Callable[[str], str]
    """Writes a part of a quoted string."""

    @classmethod
    def of(cls, quote: str, start: str, end: str, whole: Callable[[Any], str], inside: Callable[[str], str]) -> Self:
        """From the quote and the placeholder's characters as this format writes them."""
        one = f"{re.escape(start)}((?:(?!{re.escape(end)}).)+){re.escape(end)}"
        alone = rf"(?<!\\){re.escape(quote)}{one}{re.escape(quote)}"
        return cls(re.compile(f"{alone}|{one}", re.DOTALL), whole, inside)


def _in_yaml(text: str) -> str:
    return quoted(text)[1:-1]


JSON = Notation.of('"', OPEN, CLOSE, _as_json, lambda text: _text(text)[1:-1])
YAML = Notation.of('"', r"\uE000", r"\uE001", scalar, _in_yaml)
JSON_IN_YAML = Notation.of(
    r"\"", r"\uE000", r"\uE001", lambda value: _in_yaml(_as_json(value)), lambda text: _in_yaml(_text(text)[1:-1])
)


class FilledValues(dict[Placeholder, str]):
    """Values of placeholders in a format; each is written once, however many texts use it."""

    def __init__(self, notation: Notation, values: Mapping[str, Any]) -> None:
        """From values by the names of placeholders."""
        super().__init__()
        self._notation = notation
        self._values = values

    def __missing__(self, one: Placeholder) -> str:
        """Write a value at its first use."""
        value = self._values[one.name]
        written = self[one] = self._notation.whole(value) if one.whole else self._notation.inside(str(value))
        return written


@dataclass(frozen=True, slots=True)
class PreparedText:
    """JSON or YAML with placeholders in its values, none in its keys."""

    between: tuple[str, ...]
    """The text before each placeholder, and after the last."""
    placeholders: tuple[Placeholder, ...]
    """The distinct placeholders."""
    order: tuple[int, ...]
    """The index of the placeholder between two texts: some appear in most panels."""

    @classmethod
    def of(cls, text: str, notation: Notation) -> Self:
        """From rendered text."""
        texts = notation.placeholder.split(text)
        all_placeholders = [
            Placeholder(json.loads(f'"{whole or inside}"'), whole is not None)
            for whole, inside in zip(texts[1::3], texts[2::3], strict=True)
        ]
        placeholders = tuple(dict.fromkeys(all_placeholders))
        return cls(tuple(texts[::3]), placeholders, tuple(map(placeholders.index, all_placeholders)))

    def filled(self, values: FilledValues) -> str:
        """The text with these values."""
        known = [values[one] for one in self.placeholders]
        pieces = [""] * (2 * len(self.order) + 1)
        pieces[::2] = self.between
        pieces[1::2] = [known[one] for one in self.order]
        return "".join(pieces)
