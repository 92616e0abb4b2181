"""From YAML events to a document: plain values, a place for each, and every problem on the way.

Written over events rather than nodes so that aliases, tags, depth and size are refused before anything is built for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Protocol

from penstock_spec.findings import Span
from penstock_spec.reading import parsers, source, syntax
from penstock_spec.reading.document import Document, Found, Path, Place, dotted
from penstock_spec.reading.scalars import Scalar, plain

DEEPEST = 40
"""Levels. A spec has six; a message schema inside it perhaps twenty."""


class Mark(Protocol):
    """A position as both parsers tell it, from 0."""

    line: int
    column: int


class _Stop(Exception):
    """Nothing more can be read; what was found is told."""


def read(file: str, raw: bytes) -> Document:
    """Read one document. Never raises for what is in the file: all that is wrong with it is in `found`."""
    text = source.decode(file, raw)
    if not text.text:
        found = text.found or (_empty(file),)
        return Document(file, text.lines, found=found)
    events = parsers.fast(text.text)
    if events is not None:
        composer = _Composer(text, events)
        if composer.compose(refused=syntax.fast_errors()):
            return composer.document()
    composer = _Composer(text, parsers.reference(text.text))
    if not composer.compose(refused=syntax.reference_errors()):
        composer.found.append(syntax.explain(file, text.lines, composer.error))
    return composer.document()


def _empty(file: str) -> Found:
    return Found("empty-file", Span(file, 1, 1, 1, 1), "there is nothing in it", "write one with `penstock new`")


class _Composer:
    def __init__(self, text: source.Text, events: Iterator[Any]) -> None:
        self.file = text.file
        self.lines = text.lines
        self.events = events
        self.places: dict[Path, Place] = {}
        self.found = list(text.found)
        self.data: Any = None
        self.error: Exception | None = None
        self.literal: set[int] = set()  # lines inside multi-line scalars, where a tab is text

    def document(self) -> Document:
        """What was read, tabs in the indentation included."""
        self.found += _tabs(self.file, self.lines, self.literal)
        return Document(self.file, self.lines, self.data, self.places, tuple(self.found))

    def compose(self, refused: tuple[type[Exception], ...]) -> bool:
        """Read it all; False when the parser refused the text, its error kept."""
        try:
            self._stream()
        except _Stop:
            self.data = None
        except refused as error:
            self.data = None
            self.error = error
            return False
        return True

    def _stream(self) -> None:
        seen = False
        for event in self.events:
            match type(event).__name__:
                case "StreamStartEvent" | "DocumentEndEvent" | "StreamEndEvent":
                    continue
                case "DocumentStartEvent":
                    self._start(event, seen=seen)
                    seen = True
                case _:
                    value = self._value(event, (), None, 0)
                    self.data = value
        if not seen:
            self.found.append(_empty(self.file))

    def _start(self, event: Any, *, seen: bool) -> None:  # noqa: ANN401 - the two parsers share no type
        at = self._span(event)
        if seen:
            says = "a second document starts here; only the first would be read"
            self.found.append(Found("several-documents", at, says, "give each spec a file of its own"))
            raise _Stop
        if event.version or event.tags:
            at = Span(self.file, at.line, 1, at.line, len(self.lines[at.line - 1]) + 1)
            self.found.append(Found("yaml-directive", at, "a `%` directive changes what the file means", "take it out"))
            raise _Stop

    def _value(self, event: Any, path: Path, key: Span | None, depth: int) -> Any:  # noqa: ANN401
        match type(event).__name__:
            case "AliasEvent":
                return self._alias(event, path, key)
            case "ScalarEvent":
                return self._scalar(event, path, key)
        if depth >= DEEPEST:
            says = f"this is nested deeper than {DEEPEST} levels"
            self.found.append(Found("too-deep", self._span(event), says, "no field of a spec is this deep"))
            raise _Stop
        self._refuse_tag_and_anchor(event)
        if type(event).__name__ == "SequenceStartEvent":
            value, end = self._sequence(path, depth)
        else:
            value, end = self._mapping(path, depth)
        start = event.start_mark
        self.places[path] = Place(key, self._trimmed(start, end))
        return value

    def _sequence(self, path: Path, depth: int) -> tuple[list[Any], Mark]:
        items: list[Any] = []
        for event in self.events:
            if type(event).__name__ == "SequenceEndEvent":
                return items, event.end_mark
            items.append(self._value(event, (*path, len(items)), None, depth + 1))
        raise _Stop

    def _mapping(self, path: Path, depth: int) -> tuple[dict[str, Any], Mark]:
        items: dict[str, Any] = {}
        for event in self.events:
            if type(event).__name__ == "MappingEndEvent":
                return items, event.end_mark
            key = self._key(event, path, depth)
            at = self._span(event)
            if key is None:
                self._value(next(self.events), (*path, "\0"), at, depth + 1)  # read past it, for what is wrong inside
            elif key in items:
                first = self.places[(*path, key)].name
                says = f"`{key}` stands already in line {first.line}"
                where = dotted((*path, key))
                self.found.append(Found("duplicate-key", at, says, "keep one of the two", where))
                self._value(next(self.events), (*path, "\0"), at, depth + 1)
            else:
                items[key] = self._value(next(self.events), (*path, key), at, depth + 1)
        raise _Stop

    def _key(self, event: Any, path: Path, depth: int) -> str | None:  # noqa: ANN401
        at = self._span(event)
        if type(event).__name__ != "ScalarEvent":
            self._value(event, (*path, "\0"), at, depth + 1)
            self.found.append(Found("key-not-text", at, "a key must be a word", "quote it if it is meant as text"))
            return None
        if event.value == "<<" and event.style in (None, ""):
            says = "`<<` merges another mapping in, and no line would say where a value comes from"
            hint = "write the values out; what all specs share belongs in `defaults` of the platform file"
            self.found.append(Found("merge-key", at, says, hint))
            return None
        self._refuse_tag_and_anchor(event)
        value = event.value if event.style not in (None, "") else plain(event.value)
        if isinstance(value, str):
            return value
        kind = {int: "a number", float: "a number", bool: "a boolean", type(None): "null"}
        what = next(name for type_, name in kind.items() if isinstance(value, type_))
        if isinstance(value, bool):
            what = "a boolean"
        self.found.append(
            Found("key-not-text", at, f"the key `{event.value}` is {what}, not a word", f'quote it: `"{event.value}"`')
        )
        return None

    def _scalar(self, event: Any, path: Path, key: Span | None) -> Scalar:  # noqa: ANN401
        self._refuse_tag_and_anchor(event)
        at = self._span(event)
        if at.end_line != at.line:
            self.literal.update(range(at.line + 1, at.end_line + 1))
            if event.style in ("|", ">"):  # a block scalar ends before the next token: its key is what to show
                at = Span(self.file, at.line, at.column, at.line, len(self.lines[at.line - 1]) + 1)
        elif key is not None and at.column == at.end_column:  # an empty value is shown by its key
            at = key
        self.places[path] = Place(key, at)
        if event.style in (None, ""):
            return plain(event.value)
        return str(event.value)

    def _alias(self, event: Any, path: Path, key: Span | None) -> None:  # noqa: ANN401
        at = self._span(event)
        self.places[path] = Place(key, at)
        says = f"`*{event.anchor}` stands for what is written elsewhere"
        hint = "write the value out; what all specs share belongs in `defaults` of the platform file"
        self.found.append(Found("yaml-alias", at, says, hint, dotted(path)))

    def _refuse_tag_and_anchor(self, event: Any) -> None:  # noqa: ANN401
        if event.anchor is None and event.tag is None:
            return
        start = self._span(event)
        line = self.lines[start.line - 1]
        for sign, name, rule in (("&", event.anchor, "yaml-alias"), ("!", event.tag, "yaml-tag")):
            if name is None:
                continue
            match = re.compile(re.escape(sign) + r"\S*").search(line, start.column - 1)
            at = start
            if match:
                at = Span(self.file, start.line, match.start() + 1, start.line, match.end() + 1)
            word = match.group() if match else f"{sign}{name}"
            if rule == "yaml-tag":
                says, hint = f"the tag `{word}` asks for more than plain data", "take it out; plain values need no tag"
            else:
                says, hint = f"the anchor `{word}` gives this value a name", "take it out; aliases are not followed"
            self.found.append(Found(rule, at, says, hint))

    def _span(self, event: Any) -> Span:  # noqa: ANN401
        start, end = event.start_mark, event.end_mark
        return Span(self.file, start.line + 1, start.column + 1, end.line + 1, end.column + 1)

    def _trimmed(self, start: Mark, end: Mark) -> Span:
        """A collection's span; a block collection's end mark is where the next thing starts, lines below."""
        end_line, end_column = end.line, end.column
        while end_line > start.line and not _content(self.lines, end_line, end_column):
            end_line -= 1
            end_column = len(self.lines[end_line])
        return Span(self.file, start.line + 1, start.column + 1, end_line + 1, end_column + 1)


def _content(lines: tuple[str, ...], line: int, column: int) -> bool:
    """Does anything of the value stand on this line before the column? Comments and blank lines do not count."""
    text = lines[line][:column] if line < len(lines) else ""
    return bool(text.strip()) and not text.lstrip().startswith("#")


def _tabs(file: str, lines: tuple[str, ...], literal: set[int]) -> list[Found]:
    found = []
    for number, line in enumerate(lines, 1):
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        if "\t" in indent and indent != line and number not in literal:
            column = indent.index("\t") + 1
            at = Span(file, number, column, number, len(indent) + 1)
            found.append(Found("tab-indentation", at, "a tab stands in the indentation", "indent with spaces"))
    return found
