"""Units of a build: one spec, one environment, or the repository, with the folders that it makes.

Many specs are built in forks. Each folder is passed to a sink and then dropped, so memory does not grow with the
repository.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from penstock_generate.incremental.folders import Folder, plan, spec_folders
from penstock_generate.inputs.plan import Member, PlannedSpec
from penstock_generate.inputs.source import Source
from penstock_generate.tree.compare import Difference, compare
from penstock_generate.tree.stamps import FolderStamp
from penstock_spec.files import File, digest
from penstock_spec.forks import map_in_forks

Sink = Callable[[Folder, Difference], FolderStamp | None]
"""Takes a built folder and how it differs from the one on disk; may be called in a fork.

It returns the stamp that the folder will have on disk, if that is known already.
"""


@dataclass(frozen=True, slots=True)
class BuiltFolder:
    """The result of one folder."""

    folder: str
    files: int
    difference: Difference
    member: Member | None
    stamp: FolderStamp | None


@dataclass(frozen=True, slots=True)
class BuiltUnit:
    """The result of one unit."""

    name: str
    """Its name in the build cache: a spec's file, or the folder of an environment or the repository."""
    key: str
    spec: str
    """The name of the spec."""
    named_files: Mapping[str, str | None]
    folders: tuple[BuiltFolder, ...]


@dataclass(frozen=True, slots=True)
class Builder:
    """Builds units and hands their folders to a sink."""

    source: Source
    root: Path
    sink: Sink

    def spec(self, file: File, planned: Iterable[PlannedSpec] | None = None) -> BuiltUnit:
        """One spec in all environments; `planned` if it is already resolved."""
        folders = list(spec_folders(self.source, plan(self.source, file) if planned is None else planned))
        name = folders[0].name.rpartition("/")[2]  # a platform file has at least one environment
        named_files = {relative: digest(file.beside(relative)) for folder in folders for relative in folder.named_files}
        return BuiltUnit(file.name, key_of(file), name, named_files, tuple(self._built(folders)))

    def other(self, name: str, key: str, folders: Iterable[Folder]) -> BuiltUnit:
        """An environment or the repository."""
        return BuiltUnit(name, key, "", {}, tuple(self._built(folders)))

    def specs(self, files: list[File]) -> Iterator[BuiltUnit]:
        """Many specs; the first error ends the run."""
        return map_in_forks(self.spec, files)

    def _built(self, folders: Iterable[Folder]) -> Iterator[BuiltFolder]:
        for folder in folders:
            difference = compare(self.root, folder.name, folder.files)
            stamp = self.sink(folder, difference)
            yield BuiltFolder(folder.name, len(folder.artifacts), difference, folder.member, stamp)


def key_of(file: File) -> str:
    """The digest of a spec's content."""
    return (digest(file.raw) or "") if isinstance(file.raw, bytes) else ""
