"""One dashboard for many pipelines: it is built once, with blanks, and each pipeline's values are filled in as data.

Building takes the SDK a tenth of a second, filling some dozen microseconds: between the blanks it is text already.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

# Characters that stand for nothing: no text of ours has them, and JSON leaves them as they are.
OPEN, CLOSE = "\ue000", "\ue001"
_BLANK = re.compile(f'(?<!\\\\)"{OPEN}([^{CLOSE}]+){CLOSE}"|{OPEN}([^{CLOSE}]+){CLOSE}')
"""One that is a whole text, with its quotes; or one inside of a text, where a quote beside it is an escaped one."""

_as_json = json.JSONEncoder(ensure_ascii=False).encode


def blank(name: str) -> str:
    """A place for a value. Where a text is nothing but a blank, the value takes its place as what it is."""
    return f"{OPEN}{name}{CLOSE}"


@dataclass(frozen=True, slots=True)
class Form:
    """JSON with blanks among its texts, none among its keys."""

    between: tuple[str, ...]
    """The text before each blank, and after the last."""
    whole: tuple[bool, ...]
    """Of each blank, whether it is a whole text."""
    names: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """Of JSON, however it is laid out."""
        texts, wholes, names = _BLANK.split(text), [], []
        for whole, inside in zip(texts[1::3], texts[2::3], strict=True):
            wholes.append(whole is not None)
            names.append(json.loads(f'"{whole or inside}"'))
        return cls(tuple(texts[::3]), tuple(wholes), tuple(names))

    def filled(self, values: Mapping[str, Any]) -> str:
        """With these values, as JSON writes them."""
        as_whole = {name: _as_json(values[name]) for name in set(self.names)}
        inside = {name: _as_json(str(values[name]))[1:-1] for name in as_whole}
        pieces = [""] * (2 * len(self.names) + 1)
        pieces[::2] = self.between
        pieces[1::2] = [
            (as_whole if whole else inside)[name] for whole, name in zip(self.whole, self.names, strict=True)
        ]
        return "".join(pieces)
