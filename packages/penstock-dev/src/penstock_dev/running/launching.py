"""How the processes of a repository are started: from files of their own, with the Redis of all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from penstock_dev.running.member import Launch
from penstock_dev.running.runs import Runs

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
class Terms:
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


class Launches:
    """Of one repository."""

    def __init__(self, terms: Terms, url: Callable[[], str]) -> None:
        """`url` tells where Redis is now."""
        self._terms = terms
        self._url = url

    def write(self, name: str, text: str) -> None:
        """What its processes read. One that starts just now finds the old or the new, and either is whole."""
        file = self._file(name)
        fresh = file.with_suffix(".new")
        fresh.write_text(text)
        fresh.replace(file)

    def forget(self, name: str) -> None:
        """Its spec is gone."""
        self._file(name).unlink(missing_ok=True)

    def of(self, runs: Runs, number: int) -> Launch:
        """A process of a spec. Where `{hostname}` stands in a consumer's name, it is told apart by its number."""
        words = runs.words(self._file(runs.name), self._url(), self._terms.paths)
        return self._launch(words, runs.ready, f"dev-{number}")

    def of_janitor(self, number: int) -> Launch:
        """One for all."""
        where = ("--redis", self._url(), "--listen", "127.0.0.1:0", "--log-format", "json")
        return self._launch((JANITOR, str(self._terms.files), *where), JANITOR_READY, f"{JANITOR}-{number}")

    def _launch(self, words: Sequence[str], ready: frozenset[str], host: str) -> Launch:
        # Without `-P` the current folder is on the path, as it is for `penstock worker`.
        command = (sys.executable, "-m", "penstock", *words)
        return Launch(command, self._terms.folder, {**self._terms.environ, "POD_NAME": host}, ready)

    def _file(self, name: str) -> Path:
        return self._terms.files / f"{name}.json"
