"""How the processes of a repository are started: from files of their own, with the Redis of all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from penstock_dev.running.replica import Launch
from penstock_dev.running.workload import Workload

JANITOR = "janitor"
JANITOR_READY = frozenset({"leads", "stands by"})
OF_ANOTHER = ("REDIS_USERNAME", "REDIS_PASSWORD", "REDIS_PASSWORD_FILE", "REDIS_CA_FILE", "REDIS_SENTINEL_PASSWORD")
"""What the environment says of a Redis that is not embedded."""
LEVELS = ("DEBUG", "INFO")
"""With another level processes would not tell when they are ready."""


def environ_for(environ: Mapping[str, str], *, embedded: bool) -> dict[str, str]:
    """What processes are given of ours. Which environment they are of stands in the file that they run."""
    left_out = {"PENSTOCK_ENV", *(OF_ANOTHER if embedded else ())}
    level = environ.get("LOG_LEVEL", "").upper()
    told = {"LOG_LEVEL": level if level in LEVELS else "INFO"}
    return {name: value for name, value in environ.items() if name not in left_out} | told


@dataclass(frozen=True, slots=True)
class DevOptions:
    """What the command was told."""

    folder: Path
    """Where processes start, and code is found."""
    root: Path
    """Of the repository."""
    files: Path
    """Where what they read is written."""
    paths: tuple[Path, ...] = ()
    """More folders with code."""
    speed: float = 1
    environ: Mapping[str, str] = field(default_factory=dict)
    """Of the processes, and of whoever asks Redis."""
    scrapes: bool = True
    """Whether workers are asked for latencies."""

    @property
    def watched(self) -> tuple[Path, ...]:
        """Folders in which changes count."""
        return (self.folder, self.root, *self.paths)


class Launcher:
    """Of one repository."""

    def __init__(self, options: DevOptions, url: Callable[[], str]) -> None:
        """`url` tells where Redis is now."""
        self._options = options
        self._url = url

    def write(self, workload: Workload) -> str:
        """What its processes read; gives its digest.

        A process that starts just now finds the old or the new, and either is whole.
        """
        told, digest = workload.written()
        for path, text in told.items():
            file = self._options.files / path
            file.parent.mkdir(parents=True, exist_ok=True)
            fresh = file.with_suffix(".new")
            fresh.write_text(text)
            fresh.replace(file)
        return digest

    def forget(self, workload: Workload) -> None:
        """Its spec is gone."""
        for path in workload.written()[0]:
            (self._options.files / path).unlink(missing_ok=True)

    def of(self, workload: Workload, number: int) -> Launch:
        """A process of a spec. Where `{hostname}` stands in a consumer's name, it is told apart by its number."""
        words = workload.words(self._options.files, self._url(), self._options.paths)
        return self._launch(words, workload.ready, f"dev-{number}")

    def of_janitor(self, number: int) -> Launch:
        """One for all."""
        where = ("--redis", self._url(), "--listen", "127.0.0.1:0", "--log-format", "json")
        return self._launch((JANITOR, str(self._options.files), *where), JANITOR_READY, f"{JANITOR}-{number}")

    def _launch(self, words: Sequence[str], ready: frozenset[str], host: str) -> Launch:
        # Without `-P` the current folder is on the path, as it is for `penstock worker`.
        command = (sys.executable, "-m", "penstock", *words)
        return Launch(command, self._options.folder, {**self._options.environ, "POD_NAME": host}, ready)
