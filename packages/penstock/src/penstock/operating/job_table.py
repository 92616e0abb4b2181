"""Jobs as a table."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.operating.jobs import JobStatus
from penstock.operating.table import Column, Table
from penstock_spec.values.display import span

COLUMNS = (Column("state"), Column("due", right=True), Column("last"), Column("failures", right=True))


def table(jobs: Sequence[JobStatus]) -> Table:
    """One row per job, starting with its name."""
    return Table(COLUMNS, [_row(job) for job in jobs], [job.name for job in jobs], "job", leads=True)


def _row(job: JobStatus) -> tuple[str, str, str, str]:
    last = job.last_run
    due = "-" if job.due is None else "now" if job.due <= job.now else f"in {span(1000 * (job.due - job.now))}"
    state = job.state if job.given_up is None else f"{job.state}: failed too often"
    return state, due, last.outcome if last else "-", str(last.streak) if last else "-"
