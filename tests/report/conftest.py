"""Lint results to report, without a repository."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from penstock_spec.catalogue import catalogue
from penstock_spec.findings import Finding, LintResult, Span

MakeResult = Callable[..., LintResult]
MakeFinding = Callable[..., Finding]

LINES = ("kind: pipeline", "work: {timeout: 60s}", "shutdown: {grace: 30s}")
FILE = "specs/media.yaml"
THIRTY_SECONDS = Span(FILE, 3, 19, 3, 22)


@pytest.fixture
def make_finding() -> MakeFinding:
    """Creates a finding of a rule of the catalogue; by default about `30s` in `LINES`."""

    def make_finding(at: Span = THIRTY_SECONDS, rule: str = "grace-shorter-than-timeout", **others: Any) -> Finding:  # noqa: ANN401 - fields of a finding
        known = catalogue()[rule]
        texts = {"says": "work.timeout is 60s (line 2)", "hint": "set `shutdown.grace` to at least `1m10s`"}
        return Finding(rule, known.severity, known.title, at, **({**texts, "path": "shutdown.grace"} | others))

    return make_finding


@pytest.fixture
def make_result() -> MakeResult:
    """Creates the result of a run over one spec, with these findings."""

    def make_result(*findings: Finding, lines: tuple[str, ...] = LINES, file: str = FILE) -> LintResult:
        return LintResult(findings, 1, {file: lines}, ("penstock.yaml", file))

    return make_result
