"""Typical mistakes in every field of a spec."""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from penstock_spec.fields import fields_of
from penstock_spec.findings import Span
from penstock_spec.kinds import kinds
from penstock_spec.reading import Document, Path, dotted


class Mutant(NamedTuple):
    """A spec with one slip in it."""

    slip: str
    path: str
    text: str
    lines: frozenset[int]
    """Where a finding may point; a finding elsewhere does not count."""


DURATION = re.compile(r"([0-9]+)(ms|s|m|h|d)")
SIZE = re.compile(r"([0-9]+)(Ki|Mi|Gi)")
INTEGER = re.compile(r"[0-9]+")
FRACTION = re.compile(r"[0-9]+\.[0-9]+")
CHOICES = {
    field.path
    for kind in kinds().values()
    for field in fields_of(kind.model)
    if "Literal" in str(field.info.annotation)
}
SWAPS = [
    ("scaling.replicas.min", "scaling.replicas.max"),
    ("retries.backoff.first", "retries.backoff.limit"),
    ("shutdown.margin", "shutdown.grace"),
    ("shutdown.progress", "shutdown.grace"),
    ("work.timeout", "shutdown.grace"),
    ("work.lease", "work.timeout"),
    ("work.block", "work.timeout"),
    ("work.concurrency", "work.max_pending_per_worker"),
    ("scaling.poll", "scaling.cooldown"),
    ("stream.key", "dead_letter.key"),
    ("stream.key", "stream.group"),
    ("handler", "image"),
    ("resources.cpu", "resources.memory"),
    ("janitor.ghosts.idle", "janitor.ghosts.every"),
    ("each.every", "each.timeout"),
    ("shutdown.grace", "shutdown.cancel"),
    ("cleanup.zombies.threshold", "cleanup.orphans.threshold"),
    ("cleanup.orphans.every", "cleanup.orphans.leadership"),
    ("breakers.within", "breakers.cooldown"),
    ("keys.waiting", "keys.working"),
    ("patterns.enabled", "patterns.disabled"),
]


def texts_for(text: str, path: str) -> Iterator[tuple[str, str]]:
    """Mistaken spellings of a scalar."""
    bare = text.strip("\"'")
    if one := DURATION.fullmatch(text):
        number, unit = one.groups()
        longer = {"ms": "msec", "s": "sec", "m": "min", "h": "hours", "d": "days"}[unit]
        yield from (
            ("no unit", number),
            ("a long unit", number + longer),
            ("a unit in capitals", number + unit.upper()),
        )
        yield from (("a space before the unit", f"{number} {unit}"), ("a negative", f"-{text}"), ("zero", f"0{unit}"))
        yield "a thousand times", f"{int(number) * 1000}{unit}"
        yield "a thousandth", f"{int(number)}ms" if unit == "s" else f"{int(number) / 1000:.3f}{unit}"
    elif one := SIZE.fullmatch(text):
        number, unit = one.groups()
        yield from (("no unit", number), ("a long unit", number + unit[0] + "B"), ("thousandths", number + "m"))
        yield from (
            ("a thousand times", f"{int(number) * 1000}{unit}"),
            ("a negative", f"-{text}"),
            ("zero", f"0{unit}"),
        )
    elif INTEGER.fullmatch(text):
        yield from (
            ("quoted", f'"{text}"'),
            ("a fraction", f"{text}.5"),
            ("a negative", f"-{text if text != '0' else 1}"),
        )
        yield from (("a unit too many", f"{text}s"), ("a word", "many"))
        yield from (("zero", "0"), ("a thousand times", f"{text}000")) if text != "0" else ()
        yield from (("a thousandth", text[:-3]),) if text.endswith("000") else ()
    elif FRACTION.fullmatch(text):
        yield from (("quoted", f'"{text}"'), ("a negative", f"-{text}"), ("a thousand times", f"{float(text) * 1000}"))
    elif text in {"true", "false"}:
        yield from (
            ("quoted", f'"{text}"'),
            ("yes", "yes"),
            ("a number", "1"),
            ("the other", "false" if text == "true" else "true"),
        )
    else:
        yield from (("a number", "12"), ("a boolean", "true"), ("blanks", '"  "'))
        if path in CHOICES:
            yield from (("an unknown word", f"{bare}x"), ("in capitals", bare.upper()))
    yield from (("empty", '""'), ("null", "null"), ("a list", f"[{text}]"), ("a section", f"{{a: {text}}}"))


def keys_for(key: str) -> Iterator[tuple[str, str]]:
    """Mistyped keys."""
    if len(key) > 3 and key[1] != key[2]:
        yield "two letters swapped", f"{key[0]}{key[2]}{key[1]}{key[3:]}"
    if len(key) > 1:
        yield from (("a letter dropped", key[:-1]), ("a letter doubled", key[0] + key))
    yield "a hyphen", key.replace("_", "-") if "_" in key else f"{key}-"


class Slips:
    """All slips in one document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.lines = list(document.lines)

    def all(self) -> Iterator[Mutant]:
        """Every mutant, field by field."""
        for path, place in self.document.places.items():
            if not path or place.key is None:
                continue
            yield from self.of_key(path, place.key)
            yield from self.of_value(path, place.value)
            yield from self.removed(path, place.key, place.value)
        yield from self.swapped()

    def of_key(self, path: Path, key: Span) -> Iterator[Mutant]:
        for slip, text in keys_for(self.at(key)):
            yield self.mutant(slip, path, (key, text))
        twice = f"{self.at(key)}: 1"
        if self.in_block(key):
            line = Span(key.file, key.line, 1, key.line, 1)
            text = " " * (key.column - 1) + twice + "\n"
            yield self.mutant("twice", path, (line, text), also={key.line + 1})
        else:
            yield self.mutant("twice", path, (key._replace(end_line=key.line, end_column=key.column), f"{twice}, "))

    def of_value(self, path: Path, value: Span) -> Iterator[Mutant]:
        data: Any = self.document.data
        for step in path:
            data = data[step]
        if isinstance(data, (dict, list)):
            what = "a section" if isinstance(data, dict) else "a list"
            flow = self.lines[value.line - 1][value.column - 1] in "{["
            text = "word" if flow else "\0word"  # below its key
            yield self.mutant(f"{what} is text", path, (value, text))
            yield self.mutant(f"{what} is a number", path, (value, text.replace("word", "12")))
            other = "[word]" if isinstance(data, dict) else "{a: word}"
            yield self.mutant(f"{what} is another", path, (value, text.replace("word", other)))
            yield self.mutant(f"{what} is null", path, (value, text.replace("word", "null")))
        elif value.line == value.end_line:
            for slip, text in texts_for(self.at(value), dotted(path)):
                yield self.mutant(slip, path, (value, text))

    def removed(self, path: Path, key: Span, value: Span) -> Iterator[Mutant]:
        """Without the field. A finding may then point to any line."""
        anywhere = set(range(1, len(self.lines) + 1))
        if self.in_block(key):
            until = Span(key.file, key.line, 1, value.end_line + 1, 1)
            yield self.mutant("removed", path, (until, ""), also=anywhere)
            return
        span = Span(key.file, key.line, key.column, value.end_line, value.end_column)
        rest = self.lines[value.end_line - 1][value.end_column - 1 :]
        comma = len(rest) - len(rest.lstrip(", ")) if rest.startswith(",") else 0
        yield self.mutant("removed", path, (span._replace(end_column=span.end_column + comma), ""), also=anywhere)

    def swapped(self) -> Iterator[Mutant]:
        places = {dotted(path): place.value for path, place in self.document.places.items()}
        for one, other in SWAPS:
            if one in places and other in places and self.at(places[one]) != self.at(places[other]):
                first, second = sorted([places[one], places[other]])
                changes = ((second, self.at(first)), (first, self.at(second)))
                yield self.mutant(f"swapped with {other}", tuple(one.split(".")), *changes)

    def in_block(self, key: Span) -> bool:
        """Whether the field has lines of its own."""
        return not self.lines[key.line - 1][: key.column - 1].strip()

    def at(self, span: Span) -> str:
        """The text of a span on one line."""
        return self.lines[span.line - 1][span.column - 1 : span.end_column - 1]

    def mutant(self, slip: str, path: Path, *changes: tuple[Span, str], also: set[int] | None = None) -> Mutant:
        """The text with spans replaced, the last span first."""
        lines = [*self.lines]
        expected = {span.line for span, _ in changes}
        for span, new in changes:
            after = lines[span.end_line - 1][span.end_column - 1 :]
            before = lines[span.line - 1][: span.column - 1]
            if new.startswith("\0"):  # a block becomes a word after its key
                key = self.document.places[path].name
                expected.add(key.line)
                lines[key.line - 1 : span.end_line] = [f"{lines[key.line - 1][: key.end_column]} {new[1:]}"]
            else:
                lines[span.line - 1 : span.end_line] = (before + new + after).split("\n")
        return Mutant(slip, dotted(path), "\n".join(lines), frozenset(expected | (also or set())))


@pytest.fixture(scope="session")
def slips() -> Callable[[Document], Iterator[Mutant]]:
    return lambda document: Slips(document).all()
