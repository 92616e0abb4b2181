"""Compose YAML events to a document: plain values, a place for each, and all problems.

It works on events, not nodes, so that aliases, tags, depth and size are refused before anything is built for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Protocol

from penstock_spec.findings import Span
from penstock_spec.reading import parsers, source, syntax
from penstock_spec.reading.document import MOST, Document, Path, Place, Problem, dotted, first, too_many
from penstock_spec.reading.scalars import Scalar, plain

DEEPEST = 40
"""Levels. A spec has six; a message schema inside it perhaps twenty."""

SURROGATE = re.compile("[\ud800-\udfff]")

MOST_VALUES = 5_000
"""A spec that uses every section has about a hundred. The reference parser takes a fifth of a second for 5,000."""


class Mark(Protocol):
    """A position, from 0, as both parsers have it."""

    line: int
    column: int


class _Stop(Exception):  # noqa: N818 - not an error: it ends reading
    """Nothing more can be read."""


def read(file: str, raw: bytes) -> Document:
    """Read one document. Never raises for the content of the file; its mistakes are in `problems`."""
    text = source.decode(file, raw)
    if not text.text:
        unreadable = any(one.rule != "byte-order-mark" for one in text.problems)
        return Document(file, text.lines, problems=text.problems if unreadable else (*text.problems, _empty(file)))
    return by_fast(text) or by_reference(text)


def by_fast(text: source.Text) -> Document | None:
    """The document by libyaml; None if the grammars differ for the text, or if it has any problem.

    The two parsers agree on valid texts, but not on errors and their places.
    """
    events = parsers.fast(text.text)
    if events is None:
        return None
    composer = _Composer(text, events)
    if not composer.compose(refused=syntax.fast_errors()) or not isinstance(composer.data, dict):
        return None
    return composer.document() if len(composer.problems) == len(text.problems) else None


def by_reference(text: source.Text) -> Document:
    """The document by the reference parser, with the problem if it refuses the text."""
    composer = _Composer(text, parsers.reference(text.text))
    if not composer.compose(refused=syntax.reference_errors()):
        composer.problems.append(syntax.explain(text.file, text.lines, composer.error))
    return composer.document()


def _empty(file: str) -> Problem:
    return Problem("empty-file", Span(file, 1, 1, 1, 1), "the file is empty", "create a spec with `penstock new`")


class _Composer:
    def __init__(self, text: source.Text, events: Iterator[Any]) -> None:
        self.file = text.file
        self.lines = text.lines
        self.events = events
        self.places: dict[Path, Place] = {}
        self.problems = list(text.problems)
        self.data: Any = None
        self.error: Exception | None = None
        self.values = 0
        self.literal: set[int] = set()  # lines inside multi-line scalars, where a tab is text
        self.reached = 0  # the line up to which `literal` is complete

    def document(self) -> Document:
        """The document with all problems, including tabs in the indentation."""
        reported = {one.at.line for one in self.problems if one.rule == "tab-indentation"}
        self.problems += first(tab for tab in self._tabs() if tab.at.line not in reported)
        return Document(self.file, self.lines, self.data, self.places, tuple(self.problems))

    def compose(self, refused: tuple[type[Exception], ...]) -> bool:
        """Read all events; False if the parser refused the text, with its error in `error`."""
        try:
            self._stream()
        except _Stop:
            self.data = None
        except refused as error:
            self.data = None
            self.error = error
            return False
        else:
            self.reached = len(self.lines)
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
            self._report(_empty(self.file))

    def _start(self, event: Any, *, seen: bool) -> None:  # noqa: ANN401 - the two parsers share no type
        at = self._span(event)
        if seen:
            says = "a second document starts here; only the first would be read"
            self._report(Problem("several-documents", at, says, "put each spec into a file of its own"))
            raise _Stop
        for number, line in enumerate(self.lines[: at.line - 1], 1):
            if line.startswith("%"):
                self._report(syntax.directive(self.file, number, line))
                raise _Stop

    def _report(self, problem: Problem) -> None:
        if len(self.problems) == MOST:
            self.problems.append(too_many(problem))
            raise _Stop
        self.problems.append(problem)

    def _value(self, event: Any, path: Path, key: Span | None, depth: int) -> Any:  # noqa: ANN401 - as above
        self.values += 1
        if self.values > MOST_VALUES:
            says = f"the file has more than {MOST_VALUES:,} values; the rest is not read"
            self._report(Problem("file-too-large", self._span(event), says, source.TOO_LARGE))
            raise _Stop
        match type(event).__name__:
            case "AliasEvent":
                return self._alias(event, path, key)
            case "ScalarEvent":
                return self._scalar(event, path, key)
            case _:
                pass
        if depth >= DEEPEST:
            says = f"this is nested deeper than {DEEPEST} levels"
            self._report(Problem("too-deep", self._span(event), says, "remove levels; no field of a spec is this deep"))
            raise _Stop
        self._refuse_tag_and_anchor(event)
        value: Any
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
            at = self._span(event)
            key = self._key(event, at, path, depth)
            if key is None:
                self._value(next(self.events), (*path, "\0"), at, depth + 1)  # read on for the problems inside
            elif key in items:
                first = self.places[(*path, key)].name
                says = f"`{key}` is already on line {first.line}"
                where = dotted((*path, key))
                self._report(Problem("duplicate-key", at, says, "keep one of the two", where))
                self._value(next(self.events), (*path, "\0"), at, depth + 1)
            else:
                items[key] = self._value(next(self.events), (*path, key), at, depth + 1)
        raise _Stop

    def _key(self, event: Any, at: Span, path: Path, depth: int) -> str | None:  # noqa: ANN401 - as above
        if type(event).__name__ != "ScalarEvent":
            count = len(self.problems)
            self._value(event, (*path, "\0"), at, depth + 1)
            if type(event).__name__ != "AliasEvent":
                del self.problems[count:]
                what = "a list" if type(event).__name__ == "SequenceStartEvent" else "a section"
                hint = "quote it if it is text; templates such as `{{ name }}` are not rendered"
                self._report(Problem("key-not-text", at, f"{what} is used as a key", hint, dotted(path)))
            return None
        if event.value == "<<" and event.style in (None, ""):
            says = "`<<` merges another mapping, so no line shows where a value comes from"
            hint = "write out the values; put shared values into `defaults` of the platform file"
            self._report(Problem("merge-key", at, says, hint))
            return None
        self._refuse_tag_and_anchor(event)
        if self._has_half_character(event, ()):
            return None
        value = event.value if event.style not in (None, "") else plain(event.value)
        if isinstance(value, str):
            return value
        what = "null" if value is None else "a boolean" if isinstance(value, bool) else "a number"
        says, hint = f"the key `{event.value}` is {what}, not a word", f'quote it: `"{event.value}"`'
        if not event.value:
            says, hint = "there is no key before the `:`", "write the key"
        self._report(Problem("key-not-text", at, says, hint))
        return None

    def _scalar(self, event: Any, path: Path, key: Span | None) -> Scalar:  # noqa: ANN401 - as above
        self._refuse_tag_and_anchor(event, path)
        half = self._has_half_character(event, path)
        at = self._span(event)
        if at.end_line != at.line:
            self.literal.update(range(at.line + 1, at.end_line + 1))
            if event.style in ("|", ">"):  # a block scalar ends before the next token, so show its first line
                at = Span(self.file, at.line, at.column, at.line, len(self.lines[at.line - 1]) + 1)
        elif key is not None and at.column == at.end_column:  # an empty value is shown by its key
            at = key
        self.places[path] = Place(key, at)
        if half:
            return None
        if key is not None and at == key:  # nothing is written
            line = self.lines[key.end_line - 1]
            match = syntax.COMMENTED.match(line, key.end_column - 1)
            if comment := syntax.commented(self.file, key.end_line, match):
                self._report(comment._replace(path=_where(path)))
        if event.style in (None, ""):
            return plain(event.value)
        return str(event.value)

    def _alias(self, event: Any, path: Path, key: Span | None) -> None:  # noqa: ANN401 - as above
        at = self._span(event)
        self.places[path] = Place(key, at)
        says = f"`*{event.anchor}` is an alias for a value elsewhere"
        hint = "write out the value; put shared values into `defaults` of the platform file"
        self._report(Problem("yaml-alias", at, says, hint, _where(path)))

    def _refuse_tag_and_anchor(self, event: Any, path: Path = ()) -> None:  # noqa: ANN401 - as above
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
                says, hint = f"`{word}` is a tag, not plain data", "remove it; plain values need no tag"
            else:
                says, hint = f"`{word}` is an anchor", "remove it; aliases are not supported"
            self._report(Problem(rule, at, says, hint, _where(path) if rule == "yaml-tag" else ""))

    def _has_half_character(self, event: Any, path: Path) -> bool:  # noqa: ANN401 - as above
        if event.style != '"':
            return False
        half = SURROGATE.search(event.value)  # an escape can create a character that no file may contain
        if half:
            says = f"the escape U+{ord(half.group()):04X} is half of a character"
            self._report(
                Problem("forbidden-character", self._span(event), says, "write the character itself", _where(path))
            )
        return half is not None

    def _span(self, event: Any) -> Span:  # noqa: ANN401 - as above
        start, end = event.start_mark, event.end_mark
        if end.line >= self.reached:
            self.reached = end.line + 1
        return Span(self.file, start.line + 1, start.column + 1, end.line + 1, end.column + 1)

    def _tabs(self) -> Iterator[Problem]:
        for number, line in enumerate(self.lines, 1):
            known = number <= self.reached or line.startswith("\t")  # no line of a block of text starts with one
            if known and number not in self.literal and (tab := syntax.indented_by_tab(self.file, number, line)):
                yield tab

    def _trimmed(self, start: Mark, end: Mark) -> Span:
        """The span of a collection. A block collection's end mark is at the next token, which may be lines below."""
        end_line, end_column = end.line, end.column
        while end_line > start.line and not _content(self.lines, end_line, end_column):
            end_line -= 1
            end_column = len(self.lines[end_line])
        return Span(self.file, start.line + 1, start.column + 1, end_line + 1, end_column + 1)


def _where(path: Path) -> str:
    """The path as text; empty below an unreadable key."""
    return "" if "\0" in path else dotted(path)


def _content(lines: tuple[str, ...], line: int, column: int) -> bool:
    """Whether the value has text on this line before the column. Comments and blank lines do not count."""
    text = lines[line][:column] if line < len(lines) else ""
    return bool(text.strip()) and not text.lstrip().startswith("#")
