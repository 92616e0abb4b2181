"""Making units: each a spec, an environment as a whole, or the repository, and the folders that come of it.

Many specs are made by forks. Each folder goes to a sink and is kept by nobody, so that a repository of thousands needs
no more memory than one of a few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from penstock_generate.build import Folder, of_spec, plan
from penstock_generate.looking import Lying
from penstock_generate.plan import Member, Planned
from penstock_generate.source import Source
from penstock_generate.tree import Difference, compare
from penstock_spec.files import File, digest
from penstock_spec.forks import mapped

Sink = Callable[[Folder, Difference], Lying | None]
"""Takes what was made, and how it differs from what lies there. It may be called in a fork.

It may tell how the folder will lie, where it is known by now.
"""


@dataclass(frozen=True, slots=True)
class Made:
    """What came of one folder."""

    folder: str
    files: int
    difference: Difference
    member: Member | None
    lying: Lying | None


@dataclass(frozen=True, slots=True)
class Unit:
    """What came of one unit."""

    name: str
    """As the ledger knows it: a spec's file, or a folder that is of no spec."""
    key: str
    spec: str
    """The name of the spec."""
    beside: Mapping[str, str | None]
    folders: tuple[Made, ...]


@dataclass(frozen=True, slots=True)
class Bench:
    """What making needs."""

    source: Source
    root: Path
    sink: Sink

    def spec(self, file: File, planned: Iterable[Planned] | None = None) -> Unit:
        """One spec in all environments; `planned` where it was."""
        folders = list(of_spec(self.source, plan(self.source, file) if planned is None else planned))
        name = folders[0].name.rpartition("/")[2]  # there is no platform without an environment
        beside = {relative: digest(file.beside(relative)) for folder in folders for relative in folder.beside}
        return Unit(file.name, key_of(file), name, beside, tuple(self._made(folders)))

    def other(self, name: str, key: str, folders: Iterable[Folder]) -> Unit:
        """Anything else."""
        return Unit(name, key, "", {}, tuple(self._made(folders)))

    def specs(self, files: list[File]) -> Iterator[Unit]:
        """Many specs; a refusal of any ends it."""
        return mapped(self.spec, files)

    def _made(self, folders: Iterable[Folder]) -> Iterator[Made]:
        for folder in folders:
            difference = compare(self.root, folder.name, folder.files)
            lying = self.sink(folder, difference)
            yield Made(folder.name, len(folder.artifacts), difference, folder.member, lying)


def key_of(file: File) -> str:
    """What stands for the content of a spec."""
    return (digest(file.raw) or "") if isinstance(file.raw, bytes) else ""
