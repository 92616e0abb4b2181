"""Which line of a template made a line of a file: a mark is put before each piece of a template's own text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream

_MARK = re.compile("\ue000([^\ue001]*)\ue001")
"""Private characters: neither ours nor a spec's."""


class Marks(Extension):
    """Marks text with its template and line. Lines that come from a value belong to the mark before them."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Between the lexer, which has dealt with blanks, and the parser."""
        for token in stream:
            yield Token(token.lineno, token.type, _marked(token, stream.name)) if token.type == "data" else token


def _marked(token: Token, name: str | None) -> str:
    lines = token.value.split("\n")
    return "\n".join(
        f"\ue000{name}:{token.lineno + index}\ue001{line}" if line else line for index, line in enumerate(lines)
    )


def places(marked: str) -> list[str]:
    """For each line of what was rendered, `template:line`; nothing before the first."""
    found, last = [], ""
    for line in marked.splitlines():
        marks = _MARK.findall(line)
        found.append(marks[0] if marks else last)
        last = marks[-1] if marks else last
    return found


def without(marked: str) -> str:
    """As it is rendered without marks."""
    return _MARK.sub("", marked)
