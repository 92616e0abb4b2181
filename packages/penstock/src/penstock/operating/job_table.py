"""Jobs as a table."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.operating.jobs import JobStatus
from penstock.operating.table import Column, Table
from penstock.scheduler.history import PastRun
from penstock.scheduler.run_record import LOST
from penstock_spec.values.display import span

COLUMNS = (Column("state"), Column("due", right=True), Column("last"), Column("failures", right=True))

PAST = (
    Column("ended", right=True),
    Column("took", right=True),
    Column("outcome"),
    Column("attempt", right=True),
    Column("consumer"),
)


def table(jobs: Sequence[JobStatus]) -> Table:
    """One row per job, starting with its name."""
    return Table(COLUMNS, [_row(job) for job in jobs], [job.name for job in jobs], "job", leads=True)


def history_table(runs: Sequence[PastRun], now: float) -> Table:
    """One row per run, newest first, ending with its error."""
    return Table(PAST, [_past(run, now) for run in runs], [_error(run) for run in runs], "error")


def _past(run: PastRun, now: float) -> tuple[str, str, str, str, str]:
    took = span(1000 * max(0.0, run.ended - run.started))
    return f"{span(1000 * max(0.0, now - run.ended))} ago", took, run.outcome, str(run.attempt), run.consumer


def _error(run: PastRun) -> str:
    if not run.error:
        return "its pod was lost" if run.class_ == LOST else "-"
    of = f" ({run.class_})" if run.class_ not in ("", "-") else ""
    return f"{run.error}{of} at {run.at}" if run.at else f"{run.error}{of}"


def _row(job: JobStatus) -> tuple[str, str, str, str]:
    last = job.last_run
    due = (
        "-"
        if job.due is None or job.state == "paused"
        else "now"
        if job.due <= job.now
        else f"in {span(1000 * (job.due - job.now))}"
    )
    state = job.state if job.given_up is None else f"{job.state}: failed too often"
    return state, due, last.outcome if last else "-", str(last.streak) if last else "-"
