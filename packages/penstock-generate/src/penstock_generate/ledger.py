"""What earlier runs made from what, so that a run makes only what is new.

What a unit makes (a spec, an environment as a whole, the repository) hangs on the unit's own content, the files
beside a spec, the platform file, the templates and the tool. A folder that was made from the same counts as
unchanged while every file in it has the size and the time stamps that it had then. So nothing of a spec is believed
by its time stamp, and a file in `generated/` only where somebody would have to forge them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from penstock_generate.plan import Member
from penstock_spec.linting import cache

FILE = "generated.json"


@dataclass(frozen=True, slots=True)
class Lay:
    """A folder as it was made."""

    files: int
    lying: str
    """How it lay on disk then; nothing where that could not be told yet."""
    member: Member | None


@dataclass(frozen=True, slots=True)
class Entry:
    """What a unit has made."""

    key: str
    """What it was made from."""
    spec: str
    """The name of the spec, where it is one."""
    beside: Mapping[str, str | None]
    """Files that were read beside the spec, with their digests."""
    folders: Mapping[str, Lay]


class Ledger:
    """Entries by unit."""

    def __init__(self, folder: Path, fingerprint: str) -> None:
        """Kept in this folder; what another tool, template or platform file made is forgotten."""
        self._folder = folder
        self._fingerprint = fingerprint
        kept = _read(folder / FILE)
        told = kept.get("units", {}) if kept.get("fingerprint") == fingerprint else {}
        self._kept: dict[str, Any] = told if isinstance(told, dict) else {}
        self._changed = not self._kept

    def get(self, unit: str) -> Entry | None:
        """The entry of a unit, if there is one that can be read."""
        try:
            key, spec, beside, folders = self._kept[unit]
            lays = {
                folder: Lay(files, lying, Member(**member) if member else None)
                for folder, (files, lying, member) in folders.items()
            }
            return Entry(key, spec, dict(beside), lays)
        except cache.BROKEN:
            return None

    def keep(self, unit: str, entry: Entry) -> None:
        """For the next run. Folders that this run did not make stay when they were made from the same."""
        earlier = self.get(unit)
        same = earlier.folders if earlier and earlier.key == entry.key and earlier.beside == entry.beside else {}
        folders = {
            folder: [lay.files, lay.lying, asdict(lay.member) if lay.member else None]
            for folder, lay in {**same, **entry.folders}.items()
        }
        self._kept[unit] = [entry.key, entry.spec, dict(entry.beside), folders]
        self._changed = True

    def store(self) -> None:
        """Write what is new; a disk that refuses costs speed and nothing else."""
        if self._changed:
            content = orjson.dumps({"fingerprint": self._fingerprint, "units": self._kept})
            cache.store(self._folder, FILE, content)


def _read(path: Path) -> dict[str, Any]:
    """What was kept. A file that is missing, broken or somebody else's counts as nothing kept."""
    try:
        kept = orjson.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}
