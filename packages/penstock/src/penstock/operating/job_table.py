"""Jobs as a table."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.operating.jobs import JobStatus
from penstock.operating.table import Column, Table
from penstock_spec.values.display import span

COLUMNS = (Column("state"), Column("due", right=True), Column("last"), Column("failures", right=True))


def table(found: Sequence[JobStatus]) -> Table:
    """A row a job; its name leads."""
    return Table(COLUMNS, [_row(one) for one in found], [one.name for one in found], "job", leads=True)


def _row(one: JobStatus) -> tuple[str, str, str, str]:
    story = one.story
    due = "-" if one.due is None else "now" if one.due <= one.now else f"in {span(1000 * (one.due - one.now))}"
    return one.state, due, story.outcome if story else "-", str(story.streak) if story else "-"
