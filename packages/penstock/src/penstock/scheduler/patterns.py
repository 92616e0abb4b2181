"""Reads the patterns that enable jobs, again whenever the spec's file changes; pods need no restart."""

from __future__ import annotations

import logging
from collections.abc import Callable

from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.pod.file_stamps import FileStamp, stamp
from penstock.scheduler.resolved import ResolvedScheduler
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.scheduler.work import Patterns

log = Log(logging.getLogger(__name__))


class PatternsFile:
    """The patterns in the spec's file. Other changes of the file take effect at the next start."""

    def __init__(self, scheduler: ResolvedScheduler, read: Callable[[], ResolvedScheduler | None]) -> None:
        """`read` returns the scheduler in the file, or None if it has errors; it may raise CannotGoOn."""
        self._file = scheduler.file
        self._read = read
        self._stamp = self._now()
        self._patterns = scheduler.spec.patterns

    def __call__(self) -> Patterns:
        """The patterns in force: those of the last valid file."""
        stamp = self._now()
        if stamp in {self._stamp, None}:
            return self._patterns
        self._stamp = stamp
        try:
            changed = self._read()
        except CannotGoOn as error:
            log.event(Event.SPEC_INVALID, error=error.says)
            return self._patterns
        if changed is None:
            log.event(Event.SPEC_INVALID, error="see `penstock lint`")
        elif changed.spec.patterns != self._patterns:
            self._patterns = changed.spec.patterns
            log.event(Event.PATTERNS_CHANGED, enabled=self._patterns.enabled, disabled=self._patterns.disabled)
        return self._patterns

    def _now(self) -> FileStamp | None:
        try:
            return stamp(self._file)
        except OSError:
            return None
