"""The JUnit report has a test case for each file, with its findings."""

from collections.abc import Callable

import pytest
from junitparser import JUnitXml, TestCase, TestSuite

from penstock_spec import report
from penstock_spec.findings import Finding, LintResult, Span

MakeFinding = Callable[..., Finding]
MakeResult = Callable[..., LintResult]


def cases(result: LintResult) -> tuple[TestSuite, dict[str, TestCase]]:
    """The suite of a report, and its cases by name."""
    (suite,) = JUnitXml.fromstring(report.render("junit", result).encode())
    return suite, {case.name: case for case in suite}


def test_a_file_with_errors_fails_once_with_all_of_them(make_result: MakeResult, make_finding: MakeFinding) -> None:
    """Most tools show only the first failure of a test case."""
    suite, files = cases(make_result(make_finding(says="first"), make_finding(rule="yaml-tag", says="second")))
    (failure,) = files["specs/media.yaml"].result
    assert failure.type == "grace-shorter-than-timeout"
    assert failure.message == "The grace period is shorter than the timeout plus the margin: first, and 1 more"
    assert "^^^ first" in failure.text
    assert "^^^ second" in failure.text
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (2, 1, 0, 0)


def test_a_file_without_findings_passes(make_result: MakeResult, make_finding: MakeFinding) -> None:
    """The report lists it too."""
    _, files = cases(make_result(make_finding()))
    assert files["penstock.yaml"].is_passed


def test_warnings_are_in_the_output_and_do_not_fail(make_result: MakeResult, make_finding: MakeFinding) -> None:
    """The exit code of the command is 0 too."""
    suite, files = cases(make_result(make_finding(rule="suppression-unused", says="nothing here")))
    assert suite.failures == 0
    assert files["specs/media.yaml"].is_passed
    assert "nothing here" in files["specs/media.yaml"].system_out


@pytest.mark.parametrize(
    "content", ["\x00\x08\x1b", "\ufffe\uffff", "\ud800", "]]>", "<a b='c' d=\"e\">&amp;", "漢🙂", "\u2028"]
)
def test_the_xml_is_well_formed(content: str, make_result: MakeResult, make_finding: MakeFinding) -> None:
    """For any message, line and file name."""
    file = f"specs/{content}.yaml"
    result = make_result(make_finding(Span(file, 1, 1, 1, 2), says=content, hint=content), lines=(content,), file=file)
    _, files = cases(result)
    assert len(files) == 2
    output = report.render("junit", result)
    assert output.isascii()
