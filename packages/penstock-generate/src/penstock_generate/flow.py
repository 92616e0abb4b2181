"""From a source to what differs in `generated/`; what is known to be unchanged is not made again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from penstock_generate import tree
from penstock_generate.build import Folder, of_all, of_whole
from penstock_generate.ledger import Entry, Lay, Ledger, lying
from penstock_generate.making import Bench, Sink, Unit, key_of
from penstock_generate.plan import Member
from penstock_generate.source import Source, refuse_unknown
from penstock_generate.tree import Difference
from penstock_spec.files import File, digest
from penstock_spec.forks import mapped
from penstock_spec.linting import cache
from penstock_spec.linting.lint import load


class Flow:
    """One run over a source."""

    def __init__(self, source: Source, root: Path, sink: Sink) -> None:
        """`root` is the tree, which is `opened`."""
        self.specs: dict[str, File] = {}
        """Every spec by its name, whatever is chosen."""
        self.files = 0
        """How many there are, or will be."""
        self._source = source
        self._root = root
        self._bench = Bench(source, root, sink)
        self._ledger = Ledger(source.root / cache.FOLDER, source.fingerprint)
        self._made: list[Unit] = []
        self._wanted: set[str] = set()
        self._members: dict[str, list[Member]] = {name: [] for name in source.environments}

    def run(self) -> Difference:
        """What differs of all that is asked for."""
        chosen = self._source.chosen
        files = {file.name: file for file in self._source.inputs.specs}
        for unit in self._bench.specs(self._new_specs()):
            self.specs[unit.spec] = files[unit.name]
            self._take(unit)
        for environment, members in self._members.items() if not chosen.names else ():
            key = digest(repr(sorted(members, key=lambda one: one.name)).encode()) or ""
            self._other(f"{environment}/", key, partial(of_whole, self._source, environment, members))
        if not chosen.names and not chosen.environments:
            self._other("/", "", partial(of_all, self._source))
        gone = (one for one in tree.folders(self._root) if one not in self._wanted and chosen.covers(one))
        differences = [made.difference for unit in self._made for made in unit.folders]
        return tree.added([*differences, *(tree.compare(self._root, folder, {}) for folder in gone)])

    def remember(self, *, written: bool) -> None:
        """For the next run; to be called when the tree is as it will stay, whether what differs was written or not."""
        # What an environment makes is known by its entry alone: one with less than it has would remove the rest.
        kept = [unit for unit in self._made if written or not any(made.difference for made in unit.folders)]
        for unit, lays in zip(kept, mapped(self._lying, kept), strict=True):
            folders = {
                made.folder: Lay(made.files, lay, made.member) for made, lay in zip(unit.folders, lays, strict=True)
            }
            self._ledger.keep(unit.name, Entry(unit.key, unit.spec, unit.beside, folders))
        self._ledger.store()

    def _lying(self, unit: Unit) -> list[str]:
        return [lying(self._root, made.folder) for made in unit.folders]

    def _new_specs(self) -> list[File]:
        """Those that have to be made. One that no run has seen is read for its name only where names are chosen."""
        source, new = self._source, []
        for file in source.inputs.specs:
            entry, key = self._ledger.get(file.name), key_of(file)
            if (entry is None or entry.key != key) and not source.chosen.names:
                new.append(file)
                continue
            name = entry.spec if entry and entry.key == key else str(load(file).data["name"])
            self.specs[name] = file
            if source.chosen.names and name not in source.chosen.names:
                continue
            folders = [f"{environment}/{name}" for environment in source.environments]
            if entry and self._stands(entry, key, folders) and _as_it_was(file, entry):
                self._leave(entry, folders)
            else:
                new.append(file)
        refuse_unknown(source.chosen, self.specs.keys())
        return new

    def _other(self, name: str, key: str, make: Callable[[], Iterable[Folder]]) -> None:
        entry = self._ledger.get(name)
        if entry and self._stands(entry, key, entry.folders):
            self._leave(entry, entry.folders)
        else:
            self._take(self._bench.other(name, key, make()))

    def _stands(self, entry: Entry, key: str, folders: Iterable[str]) -> bool:
        """All of them were made from this, and lie as they did then."""
        lays = ((folder, entry.folders.get(folder)) for folder in folders)
        return entry.key == key and all(
            lay is not None and lay.lying and lay.lying == lying(self._root, folder) for folder, lay in lays
        )

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


def _as_it_was(file: File, entry: Entry) -> bool:
    """The files beside a spec."""
    return all(digest(file.beside(relative)) == was for relative, was in entry.beside.items())
