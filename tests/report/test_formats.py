"""Each format of the table reports every finding."""

from collections.abc import Callable
from pathlib import Path

import pytest

from penstock_spec import report
from penstock_spec.findings import Finding, LintResult, Span

MakeFinding = Callable[..., Finding]
MakeResult = Callable[..., LintResult]


def test_each_format_of_the_table_is_a_module() -> None:
    """With the same name."""
    package = Path(str(report.__file__)).parent
    assert all((package / f"{name}.py").is_file() for name in report.FORMATS)


@pytest.mark.parametrize("name", report.FORMATS)
def test_each_format_reports_every_finding_and_ends_with_a_line_break(
    name: str, make_result: MakeResult, make_finding: MakeFinding
) -> None:
    """With rule and message, and each once."""
    output = report.render(
        name, make_result(make_finding(says="says-one"), make_finding(rule="yaml-tag", says="says-two"))
    )
    assert output.endswith("\n")
    assert (output.count("says-one"), output.count("says-two")) in {
        (1, 1),
        (2, 1),
    }  # JUnit repeats the first as the message
    assert "grace-shorter-than-timeout" in output
    assert "yaml-tag" in output


@pytest.mark.parametrize("name", report.FORMATS)
@pytest.mark.parametrize("place", [Span("gone.yaml", 0, 0, 0, 0), Span("gone.yaml", 7, 8, 9, 1)], ids=["file", "line"])
def test_a_missing_file_can_be_reported(
    name: str, place: Span, make_result: MakeResult, make_finding: MakeFinding
) -> None:
    """No format needs the lines of the file."""
    assert "gone.yaml" in report.render(name, make_result(make_finding(place)))


@pytest.mark.parametrize("name", sorted({*report.FORMATS} - {"text"}))
@pytest.mark.parametrize(
    "content", ["\x00", "\x1b[31m", "\ud800", "\ufffe", "\u202e", "漢", "]]>", "<&\"'>", "\r\n::error::x"]
)
def test_machine_formats_can_be_encoded(
    name: str, content: str, make_result: MakeResult, make_finding: MakeFinding
) -> None:
    """In UTF-8, and without control characters from files."""
    output = report.render(
        name, make_result(make_finding(says=content, hint=content, path=content), lines=(content, content, content))
    )
    output.encode()
    assert not set("\x00\x1b\ufffe\u202e") & set(output)


def test_only_text_has_colours(make_result: MakeResult, make_finding: MakeFinding) -> None:
    """Colour codes would break JSON."""
    result = make_result(make_finding())
    for name in report.FORMATS:
        has_colours = report.render(name, result, lambda words, _: f"<{words}>") != report.render(name, result)
        assert has_colours is (name == "text")
