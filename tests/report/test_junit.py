"""JUnit tools see every file, and why some fail."""

from collections.abc import Callable

import pytest
from junitparser import JUnitXml, TestCase, TestSuite

from penstock_spec import report
from penstock_spec.findings import Finding, LintResult, Span

Find = Callable[..., Finding]
Make = Callable[..., LintResult]


def cases(outcome: LintResult) -> tuple[TestSuite, dict[str, TestCase]]:
    """The suite of a report, and its cases by name."""
    (suite,) = JUnitXml.fromstring(report.render("junit", outcome).encode())
    return suite, {case.name: case for case in suite}


def test_a_file_with_errors_fails_once_with_all_of_them(outcome: Make, find: Find) -> None:
    """Most tools show only the first failure of a test case."""
    suite, files = cases(outcome(find(says="first"), find(rule="yaml-tag", says="second")))
    (failure,) = files["specs/media.yaml"].result
    assert failure.type == "grace-shorter-than-timeout"
    assert failure.message == "The grace period is shorter than the timeout plus the margin: first, and 1 more"
    assert "^^^ first" in failure.text
    assert "^^^ second" in failure.text
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (2, 1, 0, 0)


def test_a_file_without_findings_passes(outcome: Make, find: Find) -> None:
    """And is listed."""
    _, files = cases(outcome(find()))
    assert files["penstock.yaml"].is_passed


def test_warnings_are_in_the_output_and_do_not_fail(outcome: Make, find: Find) -> None:
    """As for the exit code of the command."""
    suite, files = cases(outcome(find(rule="suppression-unused", says="nothing here")))
    assert suite.failures == 0
    assert files["specs/media.yaml"].is_passed
    assert "nothing here" in files["specs/media.yaml"].system_out


@pytest.mark.parametrize(
    "odd", ["\x00\x08\x1b", "\ufffe\uffff", "\ud800", "]]>", "<a b='c' d=\"e\">&amp;", "漢🙂", "\u2028"]
)
def test_the_xml_is_well_formed(odd: str, outcome: Make, find: Find) -> None:
    """For any message, line and file name."""
    file = f"specs/{odd}.yaml"
    made = outcome(find(Span(file, 1, 1, 1, 2), says=odd, hint=odd), lines=(odd,), file=file)
    _, files = cases(made)
    assert len(files) == 2
    told = report.render("junit", made)
    assert told.isascii()
