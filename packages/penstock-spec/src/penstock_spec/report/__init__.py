"""Findings in the forms that people and machines read: a module a form, each loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock_spec.findings import LintResult
    from penstock_spec.report.text import Paint

FORMATS = {
    "text": "for people: the line, a caret, a hint",
    "json": "for programs; its shape has a version",
    "github": "annotations of a GitHub workflow",
    "junit": "a JUnit report, a test case for each file",
    "sarif": "SARIF 2.1.0, for code scanning",
}
"""Every format with what it is for. Its module has the same name."""


def render(name: str, outcome: LintResult, paint: Paint | None = None) -> str:
    """An outcome in one of the formats; only text is painted."""
    module = import_module(f"{__name__}.{name}")
    told: str = module.render(outcome, paint) if name == "text" and paint else module.render(outcome)
    return told
