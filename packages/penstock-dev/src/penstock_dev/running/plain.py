"""Output as plain lines, for a log or a pipe: no colour, no cursor movement."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from penstock_dev.snapshot import Level, LogLine, Snapshot, SpecSnapshot, WorkerState
from penstock_spec.report.safe import safe
from penstock_spec.values.display import count, latency, rate, span

INTERVAL = 0.5
"""Seconds between two checks for news."""
NUMBERS_INTERVAL = 5.0
"""Minimum seconds between two lines of numbers of one spec."""
IMPORTANT = frozenset({Level.WARNING, Level.ERROR})


class PlainOutput:
    """Writes new log lines, and numbers that changed."""

    def __init__(
        self,
        snapshot: Callable[[], Snapshot],
        write: Callable[[str], object],
        clock: Callable[[], float],
        after: int = 0,
    ) -> None:
        """`write` gets each line. After a screen, `after` is the last log line it showed; then no numbers follow."""
        self._snapshot = snapshot
        self._write = write
        self._clock = clock
        self._started_at = clock()
        self._number = self._after = after
        self._written: dict[str, tuple[float, str]] = {}

    async def run(self) -> None:
        """Run forever."""
        while True:
            self.update()
            await asyncio.sleep(INTERVAL)

    def update(self) -> None:
        """Write what is new."""
        snapshot = self._snapshot()
        for line in snapshot.log:
            if line.number > self._number and (not line.worker or line.level in IMPORTANT):
                self._line(_source(line), _with_level(line))
        self._number = max((line.number for line in snapshot.log), default=self._number)
        for one in () if self._after else snapshot.specs:
            if one.backlog is not None:
                self._numbers(one)

    def _numbers(self, one: SpecSnapshot) -> None:
        text = numbers(one)
        when, before = self._written.get(one.name, (-NUMBERS_INTERVAL, ""))
        now = self._clock()
        if text != before and now - when >= NUMBERS_INTERVAL:
            self._written[one.name] = (now, text)
            self._line(one.name, text)

    def _line(self, where: str, text: str) -> None:
        self._write(f"{self._clock() - self._started_at:7.1f}s  {safe(where)}: {safe(text)}")


def numbers(one: SpecSnapshot) -> str:
    """The numbers of a spec on one line."""
    if one.kind == "scheduler":
        return _jobs(one)
    ready = sum(worker.state is WorkerState.READY for worker in one.workers)
    parts = [
        f"backlog {count(one.backlog)}",
        f"oldest {'-' if one.oldest is None else span(one.oldest * 1000)}",
        f"replicas {ready}/{one.wanted}",
        f"done/s {rate(one.done)}",
        f"dead {count(one.dead)}",
    ]
    if one.p95 is not None:
        parts.append(f"p95 {latency(one.p95 * 1000)}")
    return "  ".join((*parts, *(("paused",) if one.paused else ())))


def _jobs(one: SpecSnapshot) -> str:
    ready = sum(worker.state is WorkerState.READY for worker in one.workers)
    parts = [f"{label} {count(value)}" for label, value in one.numbers]
    parts.append(f"oldest overdue {'-' if one.oldest is None else span(one.oldest * 1000)}")
    parts += [f"replicas {ready}/{one.wanted}", f"done/s {rate(one.done)}"]
    return "  ".join((*parts, *(("all paused",) if one.paused else ())))


def _source(line: LogLine) -> str:
    if line.worker.startswith(line.spec):
        return line.worker or "penstock dev"
    return f"{line.spec} {line.worker}" if line.worker else line.spec


def _with_level(line: LogLine) -> str:
    return f"{line.level}: {line.text}" if line.level in IMPORTANT else line.text
