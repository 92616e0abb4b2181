"""The table has all formats, and each reports every finding."""

from collections.abc import Callable
from pathlib import Path

import pytest

from penstock_spec import report
from penstock_spec.findings import Finding, LintResult, Span

Find = Callable[..., Finding]
Make = Callable[..., LintResult]


def test_each_format_of_the_table_is_a_module() -> None:
    """Of the same name."""
    here = Path(str(report.__file__)).parent
    assert all((here / f"{name}.py").is_file() for name in report.FORMATS)


@pytest.mark.parametrize("name", report.FORMATS)
def test_each_format_reports_every_finding_and_ends_with_a_line_break(name: str, outcome: Make, find: Find) -> None:
    """With rule and message, and none twice."""
    told = report.render(name, outcome(find(says="says-one"), find(rule="yaml-tag", says="says-two")))
    assert told.endswith("\n")
    assert (told.count("says-one"), told.count("says-two")) in {(1, 1), (2, 1)}  # JUnit's message has the first again
    assert "grace-shorter-than-timeout" in told
    assert "yaml-tag" in told


@pytest.mark.parametrize("name", report.FORMATS)
@pytest.mark.parametrize("place", [Span("gone.yaml", 0, 0, 0, 0), Span("gone.yaml", 7, 8, 9, 1)], ids=["file", "line"])
def test_a_missing_file_can_be_reported(name: str, place: Span, outcome: Make, find: Find) -> None:
    """No format needs the lines of the file."""
    assert "gone.yaml" in report.render(name, outcome(find(place)))


@pytest.mark.parametrize("name", sorted({*report.FORMATS} - {"text"}))
@pytest.mark.parametrize(
    "odd", ["\x00", "\x1b[31m", "\ud800", "\ufffe", "\u202e", "漢", "]]>", "<&\"'>", "\r\n::error::x"]
)
def test_machine_formats_can_be_encoded(name: str, odd: str, outcome: Make, find: Find) -> None:
    """In UTF-8, and without control characters from files."""
    told = report.render(name, outcome(find(says=odd, hint=odd, path=odd), lines=(odd, odd, odd)))
    told.encode()
    assert not set("\x00\x1b\ufffe\u202e") & set(told)


def test_only_text_has_colours(outcome: Make, find: Find) -> None:
    """Colour codes would break JSON."""
    made = outcome(find())
    for name in report.FORMATS:
        painted = report.render(name, made, lambda words, _: f"<{words}>") != report.render(name, made)
        assert painted is (name == "text")
