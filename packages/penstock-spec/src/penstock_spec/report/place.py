"""Places in reports. A missing file has neither lines nor columns."""

from __future__ import annotations

from penstock_spec.findings import Span
from penstock_spec.report.safe import safe


def has_line(at: Span) -> bool:
    """Whether it is a place in the file, not the file as a whole."""
    return at.line >= 1 and at.column >= 1


def location(at: Span) -> str:
    """`file:line:column`, or only the file."""
    return safe(str(at) if has_line(at) else at.file)


def page(rule: str) -> str:
    """The docs page of a rule, relative to the repository of Penstock."""
    return f"docs/rules/{rule}.md"
