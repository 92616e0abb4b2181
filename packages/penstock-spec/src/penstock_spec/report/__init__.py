"""Report findings to people and machines: one module for each format, imported on demand."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock_spec.findings import LintResult
    from penstock_spec.report.text import Paint

FORMATS = {
    "text": "for people: the line, a caret, a hint",
    "json": "for programs; its format has a version",
    "github": "annotations of a GitHub workflow",
    "junit": "a JUnit report with a test case for each file",
    "sarif": "SARIF 2.1.0, for code scanning",
}
"""The formats with their uses. Their modules have the same names."""


def render(name: str, result: LintResult, paint: Paint | None = None) -> str:
    """Render a result in a format; only text has colours."""
    module = import_module(f"{__name__}.{name}")
    rendered: str = module.render(result, paint) if name == "text" and paint else module.render(result)
    return rendered
