"""One process of a replica set, with its state from its log."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from penstock.observe.events import Event
from penstock_dev.running.child import Child
from penstock_dev.running.log_buffer import LogBuffer, parse_line
from penstock_dev.snapshot import Level, WorkerState


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a process."""

    command: tuple[str, ...]
    folder: Path
    environ: Mapping[str, str]
    ready: frozenset[Event]
    """Events that mean that it is ready."""


@dataclass(slots=True)
class Replica:
    """One process."""

    name: str
    launch: Launch
    spec: str
    log: LogBuffer
    on_ready: Callable[[], None]
    state: WorkerState = WorkerState.STARTING
    stopping: bool = False
    was_ready: bool = False
    port: int | None = None
    """Port of its HTTP server."""
    child: Child = field(init=False)
    _printed: deque[str] = field(default_factory=lambda: deque(maxlen=20), init=False)

    def __post_init__(self) -> None:
        launch = self.launch
        self.child = Child(launch.command, folder=launch.folder, environ=launch.environ, on_line=self._on_line)

    def stop(self) -> None:
        """Send SIGTERM for a graceful shutdown."""
        self.stopping = True
        self.state = WorkerState.DRAINING
        self.child.terminate()

    def exit_reason(self) -> str:
        """The error that it printed, or else its exit code and last output."""
        lines = list(self._printed)
        error = next((line.removeprefix("error: ") for line in lines if line.startswith("error: ")), "")
        hint = next((line.removeprefix("hint: ") for line in lines if line.startswith("hint: ")), "")
        if error:
            return f"{error}; {hint}" if hint else error
        code = self.child.code or 0
        ended = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"{ended}; last output: {lines[-1]}" if lines else ended

    def _on_line(self, line: bytes) -> None:
        parsed = parse_line(line)
        if parsed.is_log:
            self._update_state(parsed.event, parsed.fields)
        else:
            self._printed.append(parsed.text)
        level = parsed.level if parsed.is_log else Level.INFO  # the replica set reports a printed error once
        self.log.write(parsed.text, level=level, spec=self.spec, worker=self.name)

    def _update_state(self, event: str, fields: Mapping[str, object]) -> None:
        if (consumer := fields.get("consumer")) and isinstance(consumer, str):
            self.name = consumer
        if event in self.launch.ready and self.state is WorkerState.STARTING:
            self.state, self.was_ready = WorkerState.READY, True
            self.on_ready()
        elif event == Event.SIGNAL_RECEIVED:
            self.state = WorkerState.DRAINING
        elif event == Event.HTTP_LISTENING and isinstance(port := fields.get("port"), int):
            self.port = port
