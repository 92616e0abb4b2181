"""One incremental run: from a source to the differences in `generated/`, building only what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from penstock_generate.incremental.build_cache import BuildCache, CachedFolder, CachedUnit
from penstock_generate.incremental.folders import Folder, environment_folders, planned, repository_folders
from penstock_generate.incremental.units import Builder, BuiltUnit, Sink, key_of
from penstock_generate.inputs.plan import Member
from penstock_generate.inputs.source import Source, refuse_unknown
from penstock_generate.tree.compare import Difference, compare, merged
from penstock_generate.tree.stamps import Stamps, stamp_of
from penstock_spec.files import File, digest
from penstock_spec.findings import CannotGoOn
from penstock_spec.forks import map_in_forks
from penstock_spec.linting import cache
from penstock_spec.linting.check import Resolved
from penstock_spec.linting.lint import load


class IncrementalRun:
    """One run over a source.

    The linter calls `build` with each valid spec right after its checks, while the spec is still parsed. Nothing is
    written unless all specs are valid.
    """

    def __init__(self, source: Source, root: Path, stamps: Stamps, sink: Sink) -> None:
        """`root` is a tree that is `opened`, `stamps` are its folders' stamps."""
        self.specs: dict[str, File] = {}
        """Every spec by name, regardless of the selection."""
        self.files = 0
        """The number of files in the complete tree."""
        self._source = source
        self._root = root
        self._builder = Builder(source, root, sink)
        self._cache = BuildCache(source.root / cache.FOLDER, source.fingerprint)
        self._stamps = stamps
        self._early: dict[str, BuiltUnit] = {}
        self._refused: CannotGoOn | None = None
        self._built: list[BuiltUnit] = []
        self._wanted: set[str] = set()
        self._members: dict[str, list[Member]] = {name: [] for name in source.environments}

    def build(self, file: File, resolved: Resolved) -> BuiltUnit | CannotGoOn | None:
        """Build a spec that was just checked; an error is returned and raised later, when the run takes its turn."""
        entry = self._cached(file)
        if self._source.chosen.names or (entry and self._is_current(file, entry)):
            return None
        try:
            return self._builder.spec(file, planned(self._source, file, resolved.items()))
        except CannotGoOn as refused:
            return refused

    def take(self, results: Mapping[str, BuiltUnit | CannotGoOn]) -> None:
        """Take over what `build` returned, by file."""
        for name, result in results.items():
            if isinstance(result, CannotGoOn):
                self._refused = self._refused or result
            else:
                self._early[name] = result

    def run(self) -> Difference:
        """Build what is left, and return all differences in the selection."""
        chosen = self._source.chosen
        files = {file.name: file for file in self._source.inputs.specs}
        changed = self._changed_specs()
        if self._refused:
            raise self._refused
        for unit in (*self._early.values(), *self._builder.specs(changed)):
            self.specs[unit.spec] = files[unit.name]
            self._take(unit)
        for environment, members in self._members.items() if not chosen.names else ():
            key = digest(repr(sorted(members, key=lambda one: one.name)).encode()) or ""
            self._other(f"{environment}/", key, partial(environment_folders, self._source, environment, members))
        if not chosen.names and not chosen.environments:
            self._other("/", "", partial(repository_folders, self._source))
        gone = (one for one in self._stamps() if one not in self._wanted and chosen.covers(one))
        differences = [built.difference for unit in self._built for built in unit.folders]
        return merged([*differences, *(compare(self._root, folder, {}) for folder in gone)])

    def remember(self, *, written: bool) -> None:
        """Update the build cache when the tree is final; `written` if the differences were written."""
        # A folder of an environment is known only by its entry: an incomplete entry would remove the other folders.
        kept = [unit for unit in self._built if written or not any(built.difference for built in unit.folders)]
        must_read = any(built.stamp is None for unit in kept for built in unit.folders)
        for unit, stamps in zip(kept, (map_in_forks if must_read else map)(self._stamps_of, kept), strict=True):
            folders = {
                built.folder: CachedFolder(built.files, stamp, built.member)
                for built, stamp in zip(unit.folders, stamps, strict=True)
            }
            self._cache.put(unit.name, CachedUnit(unit.key, unit.spec, unit.named_files, folders))
        self._cache.store()

    def _stamps_of(self, unit: BuiltUnit) -> list[str]:
        return [built.stamp.settled() if built.stamp else stamp_of(self._root, built.folder) for built in unit.folders]

    def _changed_specs(self) -> list[File]:
        """The specs to build. With selected names, a spec that is not cached is parsed only for its name."""
        chosen, changed = self._source.chosen, []
        for file in self._source.inputs.specs:
            if file.name in self._early:
                continue
            entry = self._cached(file)
            if chosen.names:
                name = entry.spec if entry else str(load(file).data["name"])
                self.specs[name] = file
                if name not in chosen.names:
                    continue
            if entry and self._is_current(file, entry):
                self.specs[entry.spec] = file
                self._keep(entry, self._folders(entry))
            else:
                changed.append(file)
        refuse_unknown(chosen, self.specs.keys())
        return changed

    def _cached(self, file: File) -> CachedUnit | None:
        """The cache entry of a spec, if its content is the same."""
        entry = self._cache.get(file.name)
        return entry if entry and entry.key == key_of(file) else None

    def _folders(self, entry: CachedUnit) -> list[str]:
        """The folders of a spec in the selected environments."""
        return [f"{environment}/{entry.spec}" for environment in self._source.environments]

    def _is_current(self, file: File, entry: CachedUnit) -> bool:
        """Whether the folders of a spec are unchanged on disk, and the files that it names too."""
        same_files = all(digest(file.beside(relative)) == was for relative, was in entry.named_files.items())
        return same_files and self._is_untouched(entry, self._folders(entry))

    def _other(self, name: str, key: str, build: Callable[[], Iterable[Folder]]) -> None:
        entry = self._cache.get(name)
        if entry and entry.key == key and self._is_untouched(entry, entry.folders):
            self._keep(entry, entry.folders)
        else:
            self._take(self._builder.other(name, key, build()))

    def _is_untouched(self, entry: CachedUnit, folders: Iterable[str]) -> bool:
        """Whether the folders on disk have the stamps that they were built with."""
        cached = ((folder, entry.folders.get(folder)) for folder in folders)
        return all(one is not None and one.stamp and one.stamp == self._stamps().get(folder) for folder, one in cached)

    def _keep(self, entry: CachedUnit, folders: Iterable[str]) -> None:
        for folder in folders:
            self._count(folder, entry.folders[folder].files, entry.folders[folder].member)

    def _take(self, unit: BuiltUnit) -> None:
        self._built.append(unit)
        for built in unit.folders:
            self._count(built.folder, built.files, built.member)

    def _count(self, folder: str, files: int, member: Member | None) -> None:
        self._wanted.add(folder)
        self.files += files
        if member:
            self._members[folder.partition("/")[0]].append(member)
