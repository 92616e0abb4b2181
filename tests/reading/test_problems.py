"""Reading reports all problems of a file, each once, and never raises."""

import pytest

from penstock_spec.reading import read


def problems(text: str) -> list[str]:
    """The place and the rule of each problem, in order."""
    document = read("spec.yaml", text.encode())
    return [f"{one.at.line}:{one.at.column} {one.rule}" for one in sorted(document.problems, key=lambda one: one.at)]


def test_five_problems_are_five_findings() -> None:
    """A problem hides no other, and valid values are read."""
    text = "name: a\nname: b\nwork: &w {timeout: !!str 60s}\n403: c\nowner: *w\n<<: {d: 1}\nkind: pipeline\n"
    assert problems(text) == [
        "2:1 duplicate-key",
        "3:7 yaml-alias",
        "3:20 yaml-tag",
        "4:1 key-not-text",
        "5:8 yaml-alias",
        "6:1 merge-key",
    ]
    assert read("spec.yaml", text.encode()).data["kind"] == "pipeline"


def test_problems_before_a_syntax_error_are_reported_too() -> None:
    """In the order of the file."""
    assert problems("name: a\nname: b\nwork: {timeout: 60s\n") == ["2:1 duplicate-key", "3:7 yaml-syntax"]


@pytest.mark.parametrize("text", ["a:\n\t- b\n", "a: b\n\tc: d\n", "a: {\n\tb: 1}\n", "a: 1\n  \tb: 2\n"])
def test_a_tab_is_reported_once_per_line(text: str) -> None:
    """In valid and in invalid YAML."""
    assert [one.partition(" ")[2] for one in problems(text)] == ["tab-indentation"]


def test_every_line_with_a_tab_is_reported() -> None:
    """Also the second, after the parser has stopped."""
    assert problems("a:\n\tb: 1\n\tc: 2\n") == ["2:1 tab-indentation", "3:1 tab-indentation"]


@pytest.mark.parametrize("text", ["a: |\n  x\n  \ty\n", "a: >-\n  x\n\n  \ty\n", 'a: "x\n  \ty"\n'])
def test_a_tab_in_text_is_allowed(text: str) -> None:
    """In a block after the indentation, or in quotes."""
    assert problems(text) == []


def test_a_tab_on_a_blank_line_is_reported() -> None:
    """It is invisible, and YAML refuses it."""
    assert problems("a: 1\n\t\nb: 2\n") == ["2:1 tab-indentation"]


def test_a_tab_in_text_after_an_error_is_not_reported() -> None:
    """Unread text is not checked."""
    assert problems("a: 'b' c\nd: |\n  x\n  \ty\n") == ["1:8 yaml-syntax"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("work: {[a, {b: c, b: d}]: 1}\n", ["1:8 key-not-text"]),
        ("{{ name }}: 1\n", ["1:1 key-not-text"]),
        ("*w : 1\n", ["1:1 yaml-alias"]),
        ("work: {timeout: 'x\n", ["1:17 yaml-syntax"]),
        ("a: 1\n---\nb: : :\n", ["2:1 several-documents"]),
    ],
)
def test_a_problem_is_reported_once(text: str, expected: list[str]) -> None:
    """Its consequences are not reported again."""
    assert problems(text) == expected


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\0",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"[" * 5000,
        b"{a: " * 5000,
        b"- " * 5000,
        b"? " * 500,
        b"!",
        b"&",
        b"*",
        b"%",
    ],
)
def test_reading_never_raises(raw: bytes) -> None:
    """Problems of a file are findings, never exceptions."""
    document = read("spec.yaml", raw)
    assert document.data is None
    assert document.problems


@pytest.mark.parametrize("ending", ["", "\n", "\r\n", "\n...\n", "\n# end"])
def test_any_end_of_a_file_is_valid(ending: str) -> None:
    """With or without a line break, a document end or a comment."""
    document = read("spec.yaml", f"---\nkind: pipeline{ending}".encode())
    assert (document.data, document.problems) == ({"kind": "pipeline"}, ())
