"""One process of a crew, and what it has said of itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from penstock_dev.running.child import Child
from penstock_dev.running.log_buffer import LogBuffer, read
from penstock_dev.snapshot import Level, WorkerState

LEAVES = "told to leave"
LISTENS = "answers over HTTP"


@dataclass(frozen=True, slots=True)
class Launch:
    """How a process of a crew is started."""

    words: tuple[str, ...]
    folder: Path
    environ: Mapping[str, str]
    ready: frozenset[str]
    """What it says when it is ready."""


@dataclass(slots=True)
class Replica:
    """One process."""

    name: str
    launch: Launch
    spec: str
    log: LogBuffer
    changed: Callable[[], None]
    """Called when its state has."""
    state: WorkerState = WorkerState.STARTING
    told_to_leave: bool = False
    was_ready: bool = False
    port: int | None = None
    """Where it answers over HTTP."""
    child: Child = field(init=False)
    _printed: deque[str] = field(default_factory=lambda: deque(maxlen=20), init=False)

    def __post_init__(self) -> None:
        launch = self.launch
        self.child = Child(launch.words, folder=launch.folder, environ=launch.environ, on_line=self._hear)

    def leave(self) -> None:
        """Ask it to finish what it does, and to go."""
        self.told_to_leave = True
        self.state = WorkerState.DRAINING
        self.child.terminate()

    def why(self) -> str:
        """What it said when it could not go on, in a line; else how it ended."""
        lines = list(self._printed)
        says = next((line.removeprefix("error: ") for line in lines if line.startswith("error: ")), "")
        hint = next((line.removeprefix("hint: ") for line in lines if line.startswith("hint: ")), "")
        if says:
            return f"{says}; {hint}" if hint else says
        code = self.child.code or 0
        ended = f"it ended by signal {-code}" if code < 0 else f"it ended with {code}"
        return f"{ended}; it said last: {lines[-1]}" if lines else ended

    def _hear(self, line: bytes) -> None:
        said = read(line)
        if said.is_log:
            self._heed(said.message, said.fields)
        else:
            self._printed.append(said.text)
        level = said.level if said.is_log else Level.INFO  # an error that is printed is told once, by the crew
        self.log.write(said.text, level=level, spec=self.spec, worker=self.name)

    def _heed(self, message: str, fields: Mapping[str, object]) -> None:
        begins = message in self.launch.ready
        if (consumer := fields.get("consumer") or (begins and fields.get("life"))) and isinstance(consumer, str):
            self.name = consumer
        if begins and self.state is WorkerState.STARTING:
            self.state, self.was_ready = WorkerState.READY, True
            self.changed()
        elif message == LEAVES:
            self.state = WorkerState.DRAINING
        elif message == LISTENS and isinstance(port := fields.get("port"), int):
            self.port = port
