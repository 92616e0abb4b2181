"""The JSON format is a contract with programs."""

import json
from collections.abc import Callable

from penstock_spec import report
from penstock_spec.findings import Finding, LintResult, Span

Find = Callable[..., Finding]
Make = Callable[..., LintResult]


def test_the_format(outcome: Make, find: Find) -> None:
    """A change needs a new `VERSION`, unless it only adds keys."""
    told = json.loads(report.render("json", outcome(find(environments=("dev",)))))
    assert told == {
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


def test_a_file_as_a_whole_has_no_line_and_no_column(outcome: Make, find: Find) -> None:
    """All four numbers are 0."""
    (one,) = json.loads(report.render("json", outcome(find(Span("a.yaml", 1, 0, 1, 0)))))["findings"]
    assert (one["line"], one["column"], one["end_line"], one["end_column"]) == (0, 0, 0, 0)


def test_the_report_is_ascii(outcome: Make, find: Find) -> None:
    """Without loss of content."""
    told = report.render("json", outcome(find(says="漢字 🙂")))
    assert told.isascii()
    assert json.loads(told)["findings"][0]["says"] == "漢字 🙂"
