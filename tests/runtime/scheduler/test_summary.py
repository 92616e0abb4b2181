"""A pod logs a summary at regular intervals."""

from collections.abc import Callable

from scheduler_processes import Schedule
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import asyncio
import ledger

async def handle(job, context):
    ledger.note("start", job.name, context.fence)
    if job.name == "held":
        await asyncio.sleep(3600)
    ledger.note("end", job.name, context.fence)
"""
SPEC = """\
jobs: [{name: usual, every: 1s}, {name: held, every: 1h}, {name: later, cron: "0 3 1 1 *"}]
work: {concurrency: 4}
"""
EVERY_LINE = {"timestamp", "level", "message", "event", "logger", "host", "pid", "scheduler", "consumer"}


def test_the_summary_covers_the_whole_pod(schedule: Callable[..., Schedule]) -> None:
    """Health, jobs, backlog, permits, cleanups, and ended runs that wait for Redis."""
    with schedule(handlers=HANDLERS, spec=SPEC + "health: {summary: 1s}\n") as repo:
        pod = repo.pod()
        wait_for(lambda: "held" in repo.lines(), "`held` runs")
        expected = {
            "health": "HEALTHY",
            "registered": 3,
            "running": 1,
            "working": 1,
            "ready": 0,
            "oldest_overdue": 0,
            "capacity_per_cycle": 3,
            "permits": "3/4 (75%)",
            "zombies_cancelled": 0,
            "orphans_returned": 0,
            "queue_depth": 0,
            "signals": "",
        }
        fields = {*expected, *EVERY_LINE}
        wait_for(lambda: len(pod.events(Event.SCHEDULER_SUMMARY)) > 2, "three summaries are logged")
        assert all(summary.keys() == fields for summary in pod.events(Event.SCHEDULER_SUMMARY) if "consumer" in summary)
        # `usual` may run at that moment, or have ended without being handed back.
        wait_for(
            lambda: any(expected.items() <= summary.items() for summary in pod.events(Event.SCHEDULER_SUMMARY)),
            "a summary between two runs of `usual` is logged",
        )
        assert pod.end() == 0


def test_the_summary_can_be_disabled(schedule: Callable[..., Schedule]) -> None:
    """With an interval of 0; the default is ten minutes."""
    with schedule(handlers=HANDLERS, spec=SPEC + "health: {summary: 0s}\n") as repo:
        pod = repo.pod()
        repo.until_ran("usual", 4)
        assert pod.events(Event.SCHEDULER_SUMMARY) == []
        assert pod.end() == 0
