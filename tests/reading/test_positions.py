"""Every value has a line and a column, counted from 1 in characters, as in editors."""

from pathlib import Path

import pytest

from penstock_spec.reading import Document, dotted, read

SPEC = """\
# a comment
kind: pipeline
work: {timeout: 60s, lease: 30s}  # another

retries:
  # about classes
  classes:
    never:
      match:
        - ValueError
        - "403"
  attempts: 5

owner:
  contact: >
    first line
    second line
  team: "media"
empty:
"""


def marked(document: Document, path: str) -> str:
    """The text that the caret marks, with its line and column."""
    at = next(place.caret for one, place in document.places.items() if dotted(one) == path)
    assert at.line == at.end_line
    return f"{at.line}:{at.column} {document.lines[at.line - 1][at.column - 1 : at.end_column - 1]}"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("kind", "2:7 pipeline"),
        ("work", "3:7 {timeout: 60s, lease: 30s}"),
        ("work.timeout", "3:17 60s"),
        ("work.lease", "3:29 30s"),
        ("retries", "5:1 retries"),
        ("retries.classes", "7:3 classes"),
        ("retries.classes.never.match", "9:7 match"),
        ("retries.classes.never.match[0]", "10:11 ValueError"),
        ("retries.classes.never.match[1]", '11:11 "403"'),
        ("retries.attempts", "12:13 5"),
        ("owner.contact", "15:12 >"),
        ("owner.team", '18:9 "media"'),
        ("empty", "19:1 empty"),
    ],
)
@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_the_caret_is_under_the_value(path: str, place: str, line_break: str) -> None:
    """An empty value, or one over several lines, is marked at its key. Comments and line breaks move no caret."""
    document = read("spec.yaml", SPEC.replace("\n", line_break).encode())
    assert document.problems == ()
    assert marked(document, path) == place


def test_every_value_has_a_place(root: Path) -> None:
    """In every spec of this repository, down to the items of lists."""
    specs = sorted((root / "specs").glob("*.yaml"))
    assert specs
    for path in specs:
        document = read(path.name, path.read_bytes())
        assert set(document.places) == {(), *paths(document.data)}


def paths(data: object, base: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path for key, value in items for path in [(*base, key), *paths(value, (*base, key))]]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("é: {a: b}\n", "1:8 b"),
        ("東京: {a: b}\n", "1:9 b"),
        ("🐟: {a: b}\n", "1:8 b"),
        ("e\u0301: {a: b}\n", "1:9 b"),
        ("\ufeffé: {a: b}\n", "1:8 b"),
    ],
)
def test_columns_count_characters(text: str, place: str) -> None:
    """Not bytes or terminal columns; a byte order mark does not count."""
    document = read("spec.yaml", text.encode())
    assert marked(document, f"{text.removeprefix(chr(0xFEFF)).partition(':')[0]}.a") == place


def test_a_section_ends_with_its_last_value() -> None:
    """Comments and blank lines before the next section are not part of it."""
    document = read("spec.yaml", b"work:\n  timeout: 60s\n\n# about scaling\n\nscaling: 1\n")
    at = document.places["work",].value
    assert (at.line, at.column, at.end_line, at.end_column) == (2, 3, 2, 15)


def test_a_default_is_marked_at_its_section() -> None:
    """A top-level default is marked at the first key."""
    document = read("spec.yaml", b"# a comment\nkind: pipeline\nwork:\n  timeout: 60s\n")
    assert str(document.nearest(("work", "lease"))) == "spec.yaml:3:1"
    assert str(document.nearest(("scaling", "poll"))) == "spec.yaml:2:1"
