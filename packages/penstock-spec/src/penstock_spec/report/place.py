"""What the formats say of a place, whatever the span holds: a file that is not there has neither lines nor columns."""

from __future__ import annotations

from penstock_spec.findings import Span
from penstock_spec.report.safe import safe


def has_line(at: Span) -> bool:
    """Whether it points into the file, rather than at the file as a whole."""
    return at.line >= 1 and at.column >= 1


def told(at: Span) -> str:
    """`file:line:column`, or the file alone."""
    return safe(str(at) if has_line(at) else at.file)


def page(rule: str) -> str:
    """Where the docs page of a rule lies in the repository of Penstock."""
    return f"docs/rules/{rule}.md"
