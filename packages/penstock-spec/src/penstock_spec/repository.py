"""A repository of specs on disk: its root, its platform file and its specs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from penstock_spec.files import File, read_bytes
from penstock_spec.findings import CannotGoOn, Span
from penstock_spec.manifest_templates import ManifestTemplates
from penstock_spec.reading import Problem

PLATFORM_FILE = "penstock.yaml"
SPECS = "specs"
ENDINGS = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Repository:
    """A folder with a platform file, and the specs to check."""

    root: Path
    platform: Path
    specs: tuple[Path, ...]
    complete: bool
    """Whether these are all its specs, not only some named ones."""

    @property
    def files(self) -> tuple[Path, ...]:
        """The platform file, then the specs."""
        return (self.platform, *self.specs)

    def name(self, path: Path) -> str:
        """The name of a file in findings: relative to the root, with `/`, always printable. Links keep their name."""
        there = os.path.join(os.path.realpath(path.parent), path.name)  # noqa: PTH118 - `resolve` follows the last link too
        return _name(there, os.path.realpath(self.root))


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files of a run."""

    platform: File
    specs: tuple[File, ...]
    complete: bool
    """Whether these are all specs of the repository, not only some named ones."""
    templates: ManifestTemplates | None = None
    """The repository's own templates, if they change a manifest that rules check."""


def read_inputs(repository: Repository, templates: ManifestTemplates | None = None) -> Inputs:
    """Read every file once."""
    real = cache(os.path.realpath)  # thousands of specs lie in a few folders
    files = [_read(real(repository.root), path, real(path.parent)) for path in repository.files]
    return Inputs(files[0], tuple(files[1:]), repository.complete, templates)


def _name(there: str, root: str) -> str:
    relative = there.removeprefix(f"{root.rstrip(os.sep)}{os.sep}")
    return relative.replace(os.sep, "/").encode("utf-8", "backslashreplace").decode("utf-8")


def _read(root: str, path: Path, folder: str) -> File:
    """Read a file in a folder. The paths of the folder and of the root have no links."""
    there = os.path.join(folder, path.name)  # noqa: PTH118 - there are thousands
    name = _name(there, root)
    inside = there.startswith(f"{root.rstrip(os.sep)}{os.sep}")
    if inside and os.path.islink(there) and not Path(os.path.realpath(there)).is_relative_to(root):  # noqa: PTH114 - as above
        at = Span(name, 1, 1, 1, 1)
        found = Problem(
            "unreadable-file", at, "it is a link to a file outside the repository", "put the file itself here"
        )
        return File(path, name, found)
    return File(path, name, read_bytes(path, name))


def find_root(start: Path) -> Path:
    """The nearest folder, upwards from here, with a platform file."""
    here = start.resolve()
    for folder in (here, *here.parents):
        if (folder / PLATFORM_FILE).is_file():
            return folder
    says = f"there is no platform file: no `{PLATFORM_FILE}` here or in any folder above"
    raise CannotGoOn(says, "create a repository with `penstock init`, or name the file with `--platform`")


def open_repository(paths: Iterable[Path], platform: Path | None, here: Path) -> Repository:
    """The repository around the current folder, with the named specs or all of them."""
    if platform is not None and not platform.is_file():
        raise CannotGoOn(f"there is no platform file `{platform}`", "name the file that has the environments")
    named = tuple(paths)
    start = named[0].parent if named and platform is None and not _is_folder(named[0]) else here
    if platform is not None:
        root = platform.resolve().parent
    else:
        try:
            root = find_root(here)
        except CannotGoOn:
            root = find_root(start)
        platform = root / PLATFORM_FILE
    if any(_same(path, root) for path in named):
        named = ()
    found = _named(named) if named else _below(root / SPECS)
    itself = _place(platform)
    specs = tuple(path for path in found if _place(path) != itself)
    return Repository(root, platform, specs, complete=not named)


def _place(path: Path) -> tuple[int, int] | None:
    """The identity of a file, the same for all its names and links."""
    try:
        status = os.stat(path)  # noqa: PTH116 - as above
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def _same(path: Path, other: Path) -> bool:
    return os.path.realpath(path) == os.path.realpath(other)


def _named(paths: tuple[Path, ...]) -> Iterator[Path]:
    """The named files and the files in the named folders, each once."""
    seen = set()
    for path in paths:
        for one in tuple(_below(path)) or (path,):
            if one not in seen:
                seen.add(one)
                yield one


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - `Path.is_dir` raises for a name that is too long


def _below(folder: Path) -> Iterator[Path]:
    """The specs in a folder, and its unreadable folders: reading those reports why."""
    found: list[Path] = []

    def closed(error: OSError) -> None:
        if isinstance(error, PermissionError):
            found.append(Path(error.filename))

    for here, folders, names in os.walk(folder, onerror=closed):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(here, name) for name in names if name.lower().endswith(ENDINGS) and not name.startswith(".")]
    yield from sorted(found)
