"""One dashboard for many pipelines: it is built once, with blanks, and each pipeline's values are filled in as data.

Building takes the SDK a tenth of a second, filling some dozen microseconds: between the blanks it is text already.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring as _text
from typing import Any, NamedTuple, Self

# Characters that stand for nothing: no text of ours has them, and JSON leaves them as they are.
OPEN, CLOSE = "\ue000", "\ue001"
_BLANK = re.compile(f'(?<!\\\\)"{OPEN}([^{CLOSE}]+){CLOSE}"|{OPEN}([^{CLOSE}]+){CLOSE}')
"""One that is a whole text, with its quotes; or one inside of a text, where a quote beside it is an escaped one."""

_as_json = json.JSONEncoder(ensure_ascii=False).encode


def blank(name: str) -> str:
    """A place for a value. Where a text is nothing but a blank, the value takes its place as what it is."""
    return f"{OPEN}{name}{CLOSE}"


class Blank(NamedTuple):
    """A place for a value."""

    name: str
    whole: bool
    """It is a whole text, and not inside of one."""


@dataclass(frozen=True, slots=True)
class Form:
    """JSON with blanks among its texts, none among its keys."""

    between: tuple[str, ...]
    """The text before each blank, and after the last."""
    blanks: tuple[Blank, ...]
    """Each of them once."""
    order: tuple[int, ...]
    """Which of them stands between which texts: some stand in most panels."""

    @classmethod
    def of(cls, text: str) -> Self:
        """Of JSON, however it is laid out."""
        texts = _BLANK.split(text)
        found = [
            Blank(json.loads(f'"{whole or inside}"'), whole is not None)
            for whole, inside in zip(texts[1::3], texts[2::3], strict=True)
        ]
        blanks = tuple(dict.fromkeys(found))
        return cls(tuple(texts[::3]), blanks, tuple(map(blanks.index, found)))

    def filled(self, values: Mapping[str, Any]) -> str:
        """With these values, as JSON writes them."""
        told = [_told(values[blank.name], whole=blank.whole) for blank in self.blanks]
        pieces = [""] * (2 * len(self.order) + 1)
        pieces[::2] = self.between
        pieces[1::2] = [told[one] for one in self.order]
        return "".join(pieces)


def _told(value: object, *, whole: bool) -> str:
    return _as_json(value) if whole else _text(str(value))[1:-1]
