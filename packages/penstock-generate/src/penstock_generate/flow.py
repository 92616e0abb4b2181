"""From a source to what differs in `generated/`; what is known to be unchanged is not made again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from penstock_generate import tree
from penstock_generate.build import Folder, of_all, of_whole, planned
from penstock_generate.ledger import Entry, Lay, Ledger
from penstock_generate.looking import Looked, lying
from penstock_generate.making import Bench, Sink, Unit, key_of
from penstock_generate.plan import Member
from penstock_generate.source import Source, refuse_unknown
from penstock_generate.tree import Difference
from penstock_spec.files import File, digest
from penstock_spec.findings import CannotGoOn
from penstock_spec.forks import mapped
from penstock_spec.linting import cache
from penstock_spec.linting.check import Resolved
from penstock_spec.linting.lint import load


class Flow:
    """One run over a source.

    Handed to whoever checks the specs, it makes each as soon as that is known to be well, while it lies read; what came
    of it counts when all of them are.
    """

    def __init__(self, source: Source, root: Path, looked: Looked, sink: Sink) -> None:
        """`root` is the tree, which is `opened`, and `looked` tells how it lies."""
        self.specs: dict[str, File] = {}
        """Every spec by its name, whatever is chosen."""
        self.files = 0
        """How many there are, or will be."""
        self._source = source
        self._root = root
        self._bench = Bench(source, root, sink)
        self._ledger = Ledger(source.root / cache.FOLDER, source.fingerprint)
        self._looked = looked
        self._early: dict[str, Unit] = {}
        self._refused: CannotGoOn | None = None
        self._made: list[Unit] = []
        self._wanted: set[str] = set()
        self._members: dict[str, list[Member]] = {name: [] for name in source.environments}

    def make(self, file: File, resolved: Resolved) -> Unit | CannotGoOn | None:
        """One spec that has just been checked; what is refused is refused when its turn comes."""
        entry = self._known(file)
        if self._source.chosen.names or (entry and self._stands(file, entry)):
            return None
        try:
            return self._bench.spec(file, planned(self._source, file, resolved.items()))
        except CannotGoOn as refused:
            return refused

    def take(self, file: File, made: Unit | CannotGoOn) -> None:
        """What came of that."""
        if isinstance(made, CannotGoOn):
            self._refused = self._refused or made
        else:
            self._early[file.name] = made

    def run(self) -> Difference:
        """What differs of all that is asked for."""
        chosen = self._source.chosen
        files = {file.name: file for file in self._source.inputs.specs}
        new = self._new_specs()
        if self._refused:
            raise self._refused
        for unit in (*self._early.values(), *self._bench.specs(new)):
            self.specs[unit.spec] = files[unit.name]
            self._take(unit)
        for environment, members in self._members.items() if not chosen.names else ():
            key = digest(repr(sorted(members, key=lambda one: one.name)).encode()) or ""
            self._other(f"{environment}/", key, partial(of_whole, self._source, environment, members))
        if not chosen.names and not chosen.environments:
            self._other("/", "", partial(of_all, self._source))
        gone = (one for one in self._looked() if one not in self._wanted and chosen.covers(one))
        differences = [made.difference for unit in self._made for made in unit.folders]
        return tree.added([*differences, *(tree.compare(self._root, folder, {}) for folder in gone)])

    def remember(self, *, written: bool) -> None:
        """For the next run; to be called when the tree is as it will stay, whether what differs was written or not."""
        # What an environment makes is known by its entry alone: one with less than it has would remove the rest.
        kept = [unit for unit in self._made if written or not any(made.difference for made in unit.folders)]
        to_see = any(made.lying is None for unit in kept for made in unit.folders)
        for unit, lays in zip(kept, (mapped if to_see else map)(self._lying, kept), strict=True):
            folders = {
                made.folder: Lay(made.files, lay, made.member) for made, lay in zip(unit.folders, lays, strict=True)
            }
            self._ledger.keep(unit.name, Entry(unit.key, unit.spec, unit.beside, folders))
        self._ledger.store()

    def _lying(self, unit: Unit) -> list[str]:
        return [made.lying.told() if made.lying else lying(self._root, made.folder) for made in unit.folders]

    def _new_specs(self) -> list[File]:
        """Those that have to be made. One that no run has seen is read for its name only where names are chosen."""
        chosen, new = self._source.chosen, []
        for file in self._source.inputs.specs:
            if file.name in self._early:
                continue
            entry = self._known(file)
            if chosen.names:
                name = entry.spec if entry else str(load(file).data["name"])
                self.specs[name] = file
                if name not in chosen.names:
                    continue
            if entry and self._stands(file, entry):
                self.specs[entry.spec] = file
                self._leave(entry, self._folders(entry))
            else:
                new.append(file)
        refuse_unknown(chosen, self.specs.keys())
        return new

    def _known(self, file: File) -> Entry | None:
        """What was made of a spec as it is."""
        entry = self._ledger.get(file.name)
        return entry if entry and entry.key == key_of(file) else None

    def _folders(self, entry: Entry) -> list[str]:
        """Those of a spec that are asked for."""
        return [f"{environment}/{entry.spec}" for environment in self._source.environments]

    def _stands(self, file: File, entry: Entry) -> bool:
        """What was made of a spec lies there, and the files beside the spec are what they were."""
        beside = all(digest(file.beside(relative)) == was for relative, was in entry.beside.items())
        return beside and self._lie(entry, self._folders(entry))

    def _other(self, name: str, key: str, make: Callable[[], Iterable[Folder]]) -> None:
        entry = self._ledger.get(name)
        if entry and entry.key == key and self._lie(entry, entry.folders):
            self._leave(entry, entry.folders)
        else:
            self._take(self._bench.other(name, key, make()))

    def _lie(self, entry: Entry, folders: Iterable[str]) -> bool:
        """They lie as they did when they were made."""
        lays = ((folder, entry.folders.get(folder)) for folder in folders)
        return all(lay is not None and lay.lying and lay.lying == self._looked().get(folder) for folder, lay in lays)

    def _leave(self, entry: Entry, folders: Iterable[str]) -> None:
        for folder in folders:
            self._count(folder, entry.folders[folder].files, entry.folders[folder].member)

    def _take(self, unit: Unit) -> None:
        self._made.append(unit)
        for made in unit.folders:
            self._count(made.folder, made.files, made.member)

    def _count(self, folder: str, files: int, member: Member | None) -> None:
        self._wanted.add(folder)
        self.files += files
        if member:
            self._members[folder.partition("/")[0]].append(member)
