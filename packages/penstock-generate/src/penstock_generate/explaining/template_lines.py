"""Finds the template line of each rendered line, by marks before each piece of the template's text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream

_MARK = re.compile("\ue000([^\ue001]*)\ue001")
"""Private characters, which neither templates nor specs contain."""


class Marks(Extension):
    """Marks text with its template and line. Lines from a value belong to the mark before them."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Runs after the lexer, which trims white space, and before the parser."""
        for token in stream:
            yield Token(token.lineno, token.type, _marked(token, stream.name)) if token.type == "data" else token


def _marked(token: Token, name: str | None) -> str:
    lines = token.value.split("\n")
    return "\n".join(
        f"\ue000{name}:{token.lineno + index}\ue001{line}" if line else line for index, line in enumerate(lines)
    )


def places(marked: str) -> list[str]:
    """The `template:line` of each rendered line; empty before the first mark."""
    origins, last = [], ""
    for line in marked.splitlines():
        marks = _MARK.findall(line)
        origins.append(marks[0] if marks else last)
        last = marks[-1] if marks else last
    return origins


def without(marked: str) -> str:
    """The text without marks."""
    return _MARK.sub("", marked)
