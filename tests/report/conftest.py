"""Results to report: findings at chosen places, without a repository."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from penstock_spec.catalogue import catalogue
from penstock_spec.findings import Finding, LintResult, Span

Make = Callable[..., LintResult]
Find = Callable[..., Finding]

LINES = ("kind: pipeline", "work: {timeout: 60s}", "shutdown: {grace: 30s}")
FILE = "specs/media.yaml"
THIRTY_SECONDS = Span(FILE, 3, 19, 3, 22)


@pytest.fixture
def find() -> Find:
    """A finding of a rule of the catalogue; by default about `30s` in `LINES`."""

    def find(at: Span = THIRTY_SECONDS, rule: str = "grace-shorter-than-timeout", **others: Any) -> Finding:  # noqa: ANN401 - fields of a finding
        known = catalogue()[rule]
        said = {"says": "work.timeout is 60s (line 2)", "hint": "set `shutdown.grace` to at least `1m10s`"}
        return Finding(rule, known.severity, known.title, at, **({**said, "path": "shutdown.grace"} | others))

    return find


@pytest.fixture
def outcome() -> Make:
    """A run over one spec that found these."""

    def make(*findings: Finding, lines: tuple[str, ...] = LINES, file: str = FILE) -> LintResult:
        return LintResult(findings, 1, {file: lines}, ("penstock.yaml", file))

    return make
