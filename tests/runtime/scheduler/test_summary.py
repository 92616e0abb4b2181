"""The summary that a pod logs regularly."""

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
ALWAYS = {"timestamp", "level", "message", "event", "logger", "host", "pid", "scheduler", "consumer"}


def test_the_summary_covers_the_whole_pod(schedule: Callable[..., Schedule]) -> None:
    """Health, jobs, scripts, backlog, permits, cleanups, and runs on their way to Redis."""
    with schedule(handlers=HANDLERS, spec=SPEC + "health: {summary: 1s}\n") as one:
        pod = one.pod()
        wait_for(lambda: "held" in one.lines(), "it runs")
        expected = {
            "health": "HEALTHY",
            "registered": 3,
            "running": 1,
            "working": 1,
            "scripts": 11,
            "ready": 0,
            "oldest_overdue": 0,
            "capacity_per_cycle": 3,
            "permits": "3/4 (75%)",
            "zombies_cancelled": 0,
            "orphans_returned": 0,
            "queue_depth": 0,
            "signals": "",
        }
        whole = {*expected, *ALWAYS}
        wait_for(lambda: len(pod.events(Event.SCHEDULER_SUMMARY)) > 2, "it says so again and again")
        assert all(told.keys() == whole for told in pod.events(Event.SCHEDULER_SUMMARY) if "consumer" in told)
        # What runs every second may run just now, or have ended and not be handed back yet.
        wait_for(
            lambda: any(expected.items() <= told.items() for told in pod.events(Event.SCHEDULER_SUMMARY)),
            "between two runs",
        )
        assert pod.end() == 0


def test_the_summary_can_be_disabled(schedule: Callable[..., Schedule]) -> None:
    """With an interval of 0; by default it is logged every ten minutes."""
    with schedule(handlers=HANDLERS, spec=SPEC + "health: {summary: 0s}\n") as one:
        pod = one.pod()
        one.until_ran("usual", 4)
        assert pod.events(Event.SCHEDULER_SUMMARY) == []
        assert pod.end() == 0
