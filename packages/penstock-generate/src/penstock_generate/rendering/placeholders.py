"""Texts with blanks: what many specs share is written once, and each spec's values are filled in as data.

Writing a dashboard takes milliseconds, filling it some dozen microseconds: between its blanks it is text already.
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

# Characters that stand for nothing: no text of ours has them.
OPEN, CLOSE = "\ue000", "\ue001"

_other = json.JSONEncoder(ensure_ascii=False).encode


def _as_json(value: object) -> str:
    """Most are texts and whole numbers."""
    return _text(value) if type(value) is str else str(value) if type(value) is int else _other(value)


def blank(name: str) -> str:
    """A place for a value. Where a text is nothing but a blank, the value takes its place as what it is."""
    return f"{OPEN}{name}{CLOSE}"


class Blank(NamedTuple):
    """A place for a value."""

    name: str
    whole: bool
    """It is a whole text, and not inside of one."""


@dataclass(frozen=True, slots=True)
class Notation:
    """A way to write values, and to find blanks among them."""

    blank: re.Pattern[str]
    """One that is a whole text, with its quotes; or one inside of a text, where a quote beside it is an escaped one."""
    whole: Callable[[Any], str]
    """A value of its own."""
    inside: Callable[[str], str]
    """A piece of a text between quotes."""

    @classmethod
    def of(cls, quote: str, start: str, end: str, whole: Callable[[Any], str], inside: Callable[[str], str]) -> Self:
        """What a quote and a blank's characters look like in it."""
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


class Told(dict[Blank, str]):
    """Values by their blanks as a notation writes them: each once, however many forms it goes into."""

    def __init__(self, notation: Notation, values: Mapping[str, Any]) -> None:
        """By the names of the blanks."""
        super().__init__()
        self._notation = notation
        self._values = values

    def __missing__(self, one: Blank) -> str:
        """One that is asked for the first time."""
        value = self._values[one.name]
        told = self[one] = self._notation.whole(value) if one.whole else self._notation.inside(str(value))
        return told


@dataclass(frozen=True, slots=True)
class Form:
    """JSON or YAML with blanks among its texts, none among its keys."""

    between: tuple[str, ...]
    """The text before each blank, and after the last."""
    blanks: tuple[Blank, ...]
    """Each of them once."""
    order: tuple[int, ...]
    """Which of them stands between which texts: some stand in most panels."""

    @classmethod
    def of(cls, text: str, notation: Notation) -> Self:
        """However it is laid out."""
        texts = notation.blank.split(text)
        found = [
            Blank(json.loads(f'"{whole or inside}"'), whole is not None)
            for whole, inside in zip(texts[1::3], texts[2::3], strict=True)
        ]
        blanks = tuple(dict.fromkeys(found))
        return cls(tuple(texts[::3]), blanks, tuple(map(blanks.index, found)))

    def filled(self, told: Told) -> str:
        """With these values."""
        known = [told[one] for one in self.blanks]
        pieces = [""] * (2 * len(self.order) + 1)
        pieces[::2] = self.between
        pieces[1::2] = [known[one] for one in self.order]
        return "".join(pieces)
