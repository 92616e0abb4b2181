"""Jobs as a table."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.operating.jobs import Standing, span
from penstock.operating.table import Column, Table

COLUMNS = (Column("state"), Column("due", right=True), Column("last"), Column("failures", right=True))


def table(found: Sequence[Standing]) -> Table:
    """A row a job; its name leads."""
    return Table(COLUMNS, [_row(one) for one in found], [one.name for one in found], "job", leads=True)


def _row(one: Standing) -> tuple[str, str, str, str]:
    story = one.story
    due = "-" if one.due is None else "now" if one.due <= one.now else f"in {span(one.due - one.now)}"
    return one.state, due, story.outcome if story else "-", str(story.streak) if story else "-"
