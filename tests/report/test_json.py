"""The JSON format does not change without a new version."""

import json
from collections.abc import Callable

from penstock_spec import report
from penstock_spec.findings import Finding, LintResult, Span

MakeFinding = Callable[..., Finding]
MakeResult = Callable[..., LintResult]


def test_a_finding_has_all_keys(make_result: MakeResult, make_finding: MakeFinding) -> None:
    """A change needs a new `VERSION`, unless it only adds keys."""
    output = json.loads(report.render("json", make_result(make_finding(environments=("dev",)))))
    assert output == {
        "version": 1,
        "findings": [
            {
                "rule": "grace-shorter-than-timeout",
                "severity": "error",
                "title": "The grace period is shorter than the timeout plus the margin",
                "file": "specs/media.yaml",
                "line": 3,
                "column": 19,
                "end_line": 3,
                "end_column": 22,
                "path": "shutdown.grace",
                "says": "work.timeout is 60s (line 2)",
                "hint": "set `shutdown.grace` to at least `1m10s`",
                "environments": ["dev"],
                "page": "docs/rules/grace-shorter-than-timeout.md",
            }
        ],
        "counts": {"specs": 1, "error": 1, "warning": 0, "info": 0},
    }


def test_a_finding_about_a_file_has_no_line_and_no_column(make_result: MakeResult, make_finding: MakeFinding) -> None:
    """All four numbers are 0."""
    (one,) = json.loads(report.render("json", make_result(make_finding(Span("a.yaml", 1, 0, 1, 0)))))["findings"]
    assert (one["line"], one["column"], one["end_line"], one["end_column"]) == (0, 0, 0, 0)


def test_the_report_is_ascii(make_result: MakeResult, make_finding: MakeFinding) -> None:
    """Without loss of content."""
    output = report.render("json", make_result(make_finding(says="漢字 🙂")))
    assert output.isascii()
    assert json.loads(output)["findings"][0]["says"] == "漢字 🙂"
