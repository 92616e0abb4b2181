"""The build cache: it remembers what earlier runs built from which inputs, so that a run builds only changes.

A unit is a spec, an environment or the repository. It depends on its own content, the files that its spec names, the
platform file, the templates and the tools, all compared by content. A generated folder counts as unchanged while every
file in it has the size and times that it had when it was written: only an edit with forged time stamps goes unnoticed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from penstock_generate.inputs.plan import Member
from penstock_spec.linting import cache

FILE = "generated.json"


@dataclass(frozen=True, slots=True)
class CachedFolder:
    """A folder as it was built."""

    files: int
    stamp: str
    """Its stamp on disk; empty if it changed too recently for a reliable one."""
    member: Member | None


@dataclass(frozen=True, slots=True)
class CachedUnit:
    """A unit as it was built."""

    key: str
    """The digest of its input."""
    spec: str
    """The name of the spec, if the unit is one."""
    named_files: Mapping[str, str | None]
    """Digests of the files that the spec names."""
    folders: Mapping[str, CachedFolder]


class BuildCache:
    """Built units by name."""

    def __init__(self, folder: Path, fingerprint: str) -> None:
        """The cache in this folder. Another tool, template or platform file invalidates it all."""
        self._folder = folder
        self._fingerprint = fingerprint
        content = _read(folder / FILE)
        units = content.get("units", {}) if content.get("fingerprint") == fingerprint else {}
        self._units: dict[str, Any] = units if isinstance(units, dict) else {}
        self._changed = not self._units

    def get(self, name: str) -> CachedUnit | None:
        """A unit, if it is cached and readable."""
        try:
            key, spec, named_files, folders = self._units[name]
            cached = {
                folder: CachedFolder(files, stamp, Member(**member) if member else None)
                for folder, (files, stamp, member) in folders.items()
            }
            return CachedUnit(key, spec, dict(named_files), cached)
        except cache.BROKEN:
            return None

    def put(self, name: str, unit: CachedUnit) -> None:
        """Cache a unit. Folders that this run did not build are kept if they have the same input."""
        earlier = self.get(name)
        same = (
            earlier.folders if earlier and earlier.key == unit.key and earlier.named_files == unit.named_files else {}
        )
        folders = {
            folder: [cached.files, cached.stamp, asdict(cached.member) if cached.member else None]
            for folder, cached in {**same, **unit.folders}.items()
        }
        self._units[name] = [unit.key, unit.spec, dict(unit.named_files), folders]
        self._changed = True

    def store(self) -> None:
        """Write it if it changed; a failing disk only costs speed."""
        if self._changed:
            content = orjson.dumps({"fingerprint": self._fingerprint, "units": self._units})
            cache.store(self._folder, FILE, content)


def _read(path: Path) -> dict[str, Any]:
    """The stored cache; empty if the file is missing or malformed."""
    try:
        content = orjson.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
