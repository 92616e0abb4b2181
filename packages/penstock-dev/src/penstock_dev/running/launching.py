"""How the processes of a repository are started."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from penstock.observe.events import Event
from penstock_dev.running.replica import Launch
from penstock_dev.running.workload import Workload

JANITOR = "janitor"
JANITOR_READY = frozenset({Event.JANITOR_BECAME_LEADER, Event.JANITOR_BECAME_STANDBY})
EXTERNAL_REDIS = (
    *("REDIS_USERNAME", "REDIS_PASSWORD", "REDIS_PASSWORD_FILE", "REDIS_SENTINEL_PASSWORD"),
    *("REDIS_CA_FILE", "REDIS_CERT_FILE", "REDIS_KEY_FILE"),
)
"""Variables for a Redis that is not the embedded one."""
LEVELS = ("DEBUG", "INFO")
"""Other levels would hide the lines that say that a process is ready."""


def environ_for(environ: Mapping[str, str], *, embedded: bool) -> dict[str, str]:
    """The environment of child processes. Their Penstock environment is in the file that they run."""
    excluded = {"PENSTOCK_ENV", *(EXTERNAL_REDIS if embedded else ())}
    level = environ.get("LOG_LEVEL", "").upper()
    overrides = {"LOG_LEVEL": level if level in LEVELS else "INFO"}
    return {name: value for name, value in environ.items() if name not in excluded} | overrides


@dataclass(frozen=True, slots=True)
class DevOptions:
    """The options of a run."""

    folder: Path
    """Working folder of the processes."""
    root: Path
    """The repository."""
    files: Path
    """Folder for the files of the processes."""
    paths: tuple[Path, ...] = ()
    """More folders with code."""
    speed: float = 1
    environ: Mapping[str, str] = field(default_factory=dict)
    """Environment variables of the processes, and for the connection to Redis."""
    scrapes: bool = True
    """Whether to scrape the workers' metrics for latencies."""

    @property
    def watched(self) -> tuple[Path, ...]:
        """Folders to watch for changes."""
        return (self.folder, self.root, *self.paths)


class Launcher:
    """Starts the processes of one repository."""

    def __init__(self, options: DevOptions, url: Callable[[], str]) -> None:
        """`url` returns the current URL of Redis."""
        self._options = options
        self._url = url

    def write(self, workload: Workload) -> str:
        """Write the files of a workload's processes, and return their digest.

        Each file is replaced atomically, as a process may start at any moment.
        """
        files, digest = workload.process_files()
        for path, text in files.items():
            file = self._options.files / path
            file.parent.mkdir(parents=True, exist_ok=True)
            fresh = file.with_suffix(".new")
            fresh.write_text(text)
            fresh.replace(file)
        return digest

    def forget(self, workload: Workload) -> None:
        """Delete the files of a removed spec."""
        for path in workload.process_files()[0]:
            (self._options.files / path).unlink(missing_ok=True)

    def of(self, workload: Workload, number: int) -> Launch:
        """Start options of a replica. Its number stands for `{hostname}` in the consumer's name."""
        arguments = workload.arguments(self._options.files, self._url(), self._options.paths)
        return self._launch(arguments, workload.ready, f"dev-{number}")

    def of_janitor(self, number: int) -> Launch:
        """Start options of the janitor."""
        where = ("--redis", self._url(), "--listen", "127.0.0.1:0", "--log-format", "json")
        return self._launch((JANITOR, str(self._options.files), *where), JANITOR_READY, f"{JANITOR}-{number}")

    def _launch(self, arguments: Sequence[str], ready: frozenset[Event], host: str) -> Launch:
        # Without `-P`, Python adds the current folder to the path, as for `penstock worker`.
        command = (sys.executable, "-m", "penstock", *arguments)
        return Launch(command, self._options.folder, {**self._options.environ, "POD_NAME": host}, ready)
