"""Lay out lines by the tokens of YAML: the text of each with one space between tokens, and its new indentation."""

from __future__ import annotations

import re
from bisect import bisect
from dataclasses import dataclass
from typing import Any

from penstock_spec.formatting.lines import StyledLine

INDENT = 2  # blanks
HEADER = re.compile(r"[|>][-+0-9]*")


def lay_out(text: str) -> list[StyledLine]:
    """The lines of a valid text."""
    from ruamel.yaml import YAML  # noqa: PLC0415 - loaded for those who format

    layout = _Layout(text)
    for token in YAML(typ="safe", pure=True).scan(text):
        layout.take(token)
    return layout.finished()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _gap(last: str, kind: str) -> str:
    """The spaces between two tokens of a line, by their kinds."""
    if last in {"", "FlowMappingStart", "FlowSequenceStart"} or (kind == "FlowEntry" and last != "Value"):
        return ""
    if kind == "Value":
        return " " if last in {"Key", "FlowEntry"} else ""
    return "" if kind in {"FlowMappingEnd", "FlowSequenceEnd"} and last != "Value" else " "  # `{a:}` would be one word


@dataclass(slots=True)
class _Block:
    """A mapping or list without brackets, with the columns of its items."""

    kind: str
    was: int
    now: int


class _Layout:
    def __init__(self, text: str) -> None:
        self.text = text
        self.source = text.split("\n")
        if not self.source[-1]:
            self.source.pop()
        self.lines = [StyledLine(_indent(line)) for line in self.source]
        self.starts = [0]
        for line in self.source:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.last: list[str] = [""] * len(self.lines)  # the kind of the last token of each line
        self.blocks: list[_Block] = []
        self.brackets: list[int] = []  # the lines of those that are open
        self.key = -1  # where a key starts

    def finished(self) -> list[StyledLine]:
        """The lines with their comments."""
        for line, source in zip(self.lines, self.source, strict=True):
            line.comment = source[line.end_was :].strip()
            line.comment_was = len(source) - len(source[line.end_was :].lstrip())
        return self.lines

    def take(self, token: Any) -> None:  # noqa: ANN401 - ruamel.yaml's tokens have no types
        kind = type(token).__name__.removesuffix("Token")
        at, end = token.start_mark.index, token.end_mark.index
        match kind:
            case "BlockMappingStart" | "BlockSequenceStart":
                self._open(kind, at)
            case "BlockEnd":
                self._leave_list()
                self.blocks.pop()
            case "Key":
                self.key = at
            case "BlockEntry" if self.blocks[-1].kind == "BlockMappingStart":
                self._open("list", at)  # its items are below its key, and no token marks its start
            case _:
                pass
        if at == end:  # a token without text, for structure
            return
        if kind == "Scalar":
            self._scalar(token.style, at, end)
        else:
            self._word(kind, at, end)

    def _open(self, kind: str, at: int) -> None:
        number = self._line(at)
        now = self.blocks[-1].now + INDENT if self.blocks else 0
        self.blocks.append(_Block(kind, at - self.starts[number], now))

    def _leave_list(self) -> None:
        if self.blocks[-1].kind == "list":
            self.blocks.pop()

    def _line(self, at: int) -> int:
        return bisect(self.starts, at) - 1

    def _word(self, kind: str, at: int, end: int) -> None:
        """Add a token that is on one line."""
        number = self._line(at)
        line, column = self.lines[number], at - self.starts[number]
        item = not self.brackets and (kind in {"BlockEntry", "Key"} or at == self.key)
        if item and kind != "BlockEntry":
            self._leave_list()
        if not line.content:
            self._begin(kind, number, item=item)
        if item:
            line.starts[column] = self.blocks[-1].now
        line.content += _gap(self.last[number], kind) + self.text[at:end]
        line.end_was = end - self.starts[number]
        self.last[number] = kind
        if kind in {"FlowMappingStart", "FlowSequenceStart"}:
            self.brackets.append(number)
        elif kind in {"FlowMappingEnd", "FlowSequenceEnd"}:
            self._close(number)

    def _begin(self, kind: str, number: int, *, item: bool) -> None:
        """Set the indentation of a line by its first token."""
        line = self.lines[number]
        base = self.blocks[-1].now if self.blocks else 0
        if self.brackets:
            self._inside(line, 0 if kind.endswith("End") else INDENT)
        elif kind.startswith("Document"):
            line.joined = True
        else:
            line.now = base if item or kind == "Value" or not self.blocks else base + INDENT
            line.starts[line.was] = line.now

    def _inside(self, line: StyledLine, least: int) -> None:
        """Keep the distance of a line in brackets to the line of the opening bracket."""
        first = self.lines[self.brackets[0]]
        base = self.blocks[-1].now if self.blocks else 0
        line.now = max(line.was + first.now - first.was, base + least)
        line.joined = True

    def _close(self, number: int) -> None:
        first = self.brackets[0]
        for line in self.lines[first + 1 : number] if len(self.brackets) == 1 else ():
            if not line.joined:  # a comment, or nothing
                self._inside(line, INDENT)
        self.brackets.pop()

    def _scalar(self, style: str | None, at: int, end: int) -> None:
        number = self._line(at)
        if style in {"|", ">"}:
            header = HEADER.match(self.text, at)
            self._word("Scalar", at, header.end() if header else end)
            self._block(number, header.group() if header else "")
            return
        while end > self.starts[number + 1]:
            start = self.starts[number + 1]
            self._word("Scalar", at, start - 1)
            line = self.lines[number]
            line.content = line.content if line.content.rstrip().endswith("\\") else line.content.rstrip()
            number += 1
            line = self.lines[number]
            line.in_text = line.joined = True
            at = start + min(line.was, end - start)
        self._word("Scalar", at, end)

    def _block(self, number: int, header: str) -> None:
        """Move the text below a `|` or `>` as a whole."""
        above = self.blocks[-1] if self.blocks else _Block("", 0, 0)
        line = self.lines[number]
        line.block = True
        if (
            line.starts.get(line.was) == above.now + INDENT
        ):  # alone on its line; a comment at this depth would become text
            line.starts[line.was] = above.now
        digit = next((int(one) for one in header if one.isdigit()), 0)
        below = range(number + 1, len(self.lines))
        was = above.was + digit
        if not digit:
            was = next((self.lines[one].was for one in below if self.source[one].strip(" ")), 0)
        if was <= above.was:  # nothing but blank lines
            was = len(self.text)
        last = number
        for one in below:
            source = self.source[one]
            if source.strip(" ") and self.lines[one].was < was:
                break
            if source.strip(" ") or "+" in header or len(source) > was:
                last = one
        for one in range(number + 1, last + 1):
            source, line = self.source[one], self.lines[one]
            line.in_text = line.joined = line.block = True
            line.now = above.now + (digit or INDENT)
            line.content = source[was:]
            line.end_was = len(source)
