"""What happens, a line each, for a log or a pipe: no colour, nothing that moves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from penstock.operating.spans import count, rate, span
from penstock_dev.snapshot import Level, LogLine, Snapshot, SpecSnapshot, WorkerState
from penstock_spec.report.safe import safe

EVERY = 0.5
"""Seconds between two looks."""
NUMBERS = 5.0
"""Seconds between two lines of numbers of one spec, as long as they change."""
IMPORTANT = frozenset({Level.WARNING, Level.ERROR})


class PlainOutput:
    """Writes what is new."""

    def __init__(
        self, snapshot: Callable[[], Snapshot], say: Callable[[str], object], clock: Callable[[], float], after: int = 0
    ) -> None:
        """`say` is told a line at a time. After a screen, which has shown the log up to `after`, no numbers are."""
        self._snapshot = snapshot
        self._say = say
        self._clock = clock
        self._began = clock()
        self._number = self._after = after
        self._told: dict[str, tuple[float, str]] = {}

    async def run(self) -> None:
        """Without end."""
        while True:
            self.look()
            await asyncio.sleep(EVERY)

    def look(self) -> None:
        """Tell what is new."""
        snapshot = self._snapshot()
        for line in snapshot.log:
            if line.number > self._number and (not line.worker or line.level in IMPORTANT):
                self._line(_where(line), _marked(line))
        self._number = max((line.number for line in snapshot.log), default=self._number)
        for one in () if self._after else snapshot.specs:
            if one.backlog is not None:
                self._numbers(one)

    def _numbers(self, one: SpecSnapshot) -> None:
        text = numbers(one)
        when, before = self._told.get(one.name, (-NUMBERS, ""))
        now = self._clock()
        if text != before and now - when >= NUMBERS:
            self._told[one.name] = (now, text)
            self._line(one.name, text)

    def _line(self, where: str, text: str) -> None:
        self._say(f"{self._clock() - self._began:7.1f}s  {safe(where)}: {safe(text)}")


def numbers(one: SpecSnapshot) -> str:
    """How a spec is."""
    if one.kind == "scheduler":
        return _jobs(one)
    ready = sum(worker.state is WorkerState.READY for worker in one.workers)
    told = [
        f"backlog {count(one.backlog)}",
        f"oldest {'-' if one.oldest is None else span(one.oldest * 1000)}",
        f"replicas {ready}/{one.wanted}",
        f"done/s {rate(one.done)}",
        f"dead {count(one.dead)}",
    ]
    if one.p95 is not None:
        told.append(f"p95 {span(one.p95 * 1000)}")
    return "  ".join((*told, *(("paused",) if one.paused else ())))


def _jobs(one: SpecSnapshot) -> str:
    ready = sum(worker.state is WorkerState.READY for worker in one.workers)
    told = [f"{label} {count(value)}" for label, value in one.numbers]
    told.append(f"oldest overdue {'-' if one.oldest is None else span(one.oldest * 1000)}")
    told += [f"replicas {ready}/{one.wanted}", f"done/s {rate(one.done)}"]
    return "  ".join((*told, *(("all paused",) if one.paused else ())))


def _where(line: LogLine) -> str:
    if line.worker.startswith(line.spec):
        return line.worker or "penstock dev"
    return f"{line.spec} {line.worker}" if line.worker else line.spec


def _marked(line: LogLine) -> str:
    return f"{line.level}: {line.text}" if line.level in IMPORTANT else line.text
