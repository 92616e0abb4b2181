"""Processes that are started again when they end, as Kubernetes does."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from faulty_connection import Cable
from patience import PATIENCE
from pipelines import Process, Trial

RESTART_AFTER = 0.2


@dataclass(frozen=True, slots=True)
class Around:
    """The surroundings of a process."""

    environ: Mapping[str, str] = field(default_factory=dict)
    module: str = "penstock"
    """The module that runs `penstock`."""


class Place:
    """The place of one pod: a worker or a janitor, its connection, and how its processes ended."""

    def __init__(
        self, trial: Trial, role: str, url: str, cable: Cable | None = None, around: Around | None = None
    ) -> None:
        self.role = role
        self.cable = cable
        self.expected_codes = {0}
        """Codes with which a process may end by itself."""
        self.drain_codes: tuple[int, ...] = (0,)
        """Codes with which a process may end after SIGTERM."""
        self.surprises: list[str] = []
        self._trial = trial
        self._words = ("worker", "trial") if role == "worker" else ("janitor",)
        self._url = url
        self._around = around or Around()
        self._killed = False
        self._lock = threading.Lock()
        self.process = self._start()

    def _start(self) -> Process:
        words = (*self._words, "--redis", self._url, "--listen", "127.0.0.1:0")
        return self._trial.start(*words, environ=self._around.environ, module=self._around.module)

    def keep_running(self) -> None:
        """Start another process if this one has ended."""
        with self._lock:
            code = self.process.process.poll()
            if code is None:
                return
            if not self._killed and code not in self.expected_codes:
                self.surprises.append(f"{self.role} {self.process.name} ended by itself with {code}")
            self._killed = False
            self.process = self._start()

    def kill(self) -> None:
        """Send SIGKILL."""
        with self._lock:
            self._killed = True
            self.process.kill()

    def terminate(self) -> None:
        """Send SIGTERM; the process drains, and another starts after it has ended."""
        self.signal(signal.SIGTERM)

    def signal(self, number: signal.Signals) -> None:
        with self._lock, suppress(ProcessLookupError):
            self.process.signal(number)

    def end(self) -> None:
        """Drain the process for good."""
        with self._lock, suppress(Exception):
            if self.process.process.poll() is not None:
                return
            if (code := self.process.end(PATIENCE)) not in self.drain_codes:
                self.surprises.append(f"{self.role} {self.process.name} drained with code {code}")


class Supervisor(threading.Thread):
    """Keeps the processes of all places running."""

    def __init__(self, places: list[Place]) -> None:
        super().__init__(daemon=True)
        self._places = places
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.wait(RESTART_AFTER):
            for place in self._places:
                place.keep_running()

    def stop(self) -> None:
        self.stopped.set()
        self.join()


def pause(seconds: float) -> None:
    """The pace of the faults; not a wait for a condition."""
    time.sleep(seconds)
