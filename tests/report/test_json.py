"""The JSON form is a promise to programs."""

import json
from collections.abc import Callable

from penstock_spec import report
from penstock_spec.findings import Finding, LintResult, Span

Find = Callable[..., Finding]
Make = Callable[..., LintResult]


def test_its_shape_is_this(outcome: Make, find: Find) -> None:
    """Whoever changes this changes `VERSION`, unless keys are only added."""
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


def test_a_file_as_a_whole_has_neither_line_nor_column(outcome: Make, find: Find) -> None:
    """All four numbers are 0, never some of them."""
    (one,) = json.loads(report.render("json", outcome(find(Span("a.yaml", 1, 0, 1, 0)))))["findings"]
    assert (one["line"], one["column"], one["end_line"], one["end_column"]) == (0, 0, 0, 0)


def test_it_is_ascii(outcome: Make, find: Find) -> None:
    """And says the same for it."""
    told = report.render("json", outcome(find(says="漢字 🙂")))
    assert told.isascii()
    assert json.loads(told)["findings"][0]["says"] == "漢字 🙂"
