"""A repository of specs on disk: its root, the files that count, and their bytes. No other module reads files."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from penstock_spec.findings import CannotGoOn, Span
from penstock_spec.reading import Found
from penstock_spec.reading.source import LARGEST, decode

PLATFORM_FILE = "penstock.yaml"
SPECS = "specs"
ENDINGS = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Repository:
    """A folder with a platform file, and the specs to look at."""

    root: Path
    platform: Path
    specs: tuple[Path, ...]
    whole: bool
    """All its specs, rather than some that were named."""

    @property
    def files(self) -> tuple[Path, ...]:
        """The platform file, then the specs."""
        return (self.platform, *self.specs)

    def name(self, path: Path) -> str:
        """How a file is called in findings: relative to the root, with `/`, always printable."""
        try:
            # pathlib's resolve() raises on a link that leads to itself; the reading of it shall tell that
            relative = Path(os.path.realpath(path)).relative_to(os.path.realpath(self.root))
        except (ValueError, OSError):
            relative = path
        return relative.as_posix().encode("utf-8", "backslashreplace").decode("utf-8")


@dataclass(frozen=True, slots=True)
class File:
    """A file that was read, or why it could not be."""

    path: Path
    name: str
    raw: bytes | Found

    def beside(self, relative: str) -> bytes | None:
        """The bytes of a file beside this one."""
        raw = read_bytes(self.path.parent / relative, relative)
        return raw if isinstance(raw, bytes) else None

    def lines(self) -> tuple[str, ...]:
        """Its lines, for those who show them."""
        return () if isinstance(self.raw, Found) else decode(self.name, self.raw).lines


@dataclass(frozen=True, slots=True)
class Inputs:
    """The bytes that a run is over."""

    platform: File
    specs: tuple[File, ...]
    whole: bool
    """All specs of the repository, rather than some that were named."""


def read_inputs(repository: Repository) -> Inputs:
    """Read every file once."""
    files = [File(path, name := repository.name(path), read_bytes(path, name)) for path in repository.files]
    return Inputs(files[0], tuple(files[1:]), repository.whole)


def find_root(start: Path) -> Path:
    """The nearest folder upwards with a platform file."""
    here = start.resolve()
    for folder in (here, *here.parents):
        if (folder / PLATFORM_FILE).is_file():
            return folder
    says = f"there is no platform file: no `{PLATFORM_FILE}` here or in any folder above"
    raise CannotGoOn(says, "make a repository with `penstock init`, or name the file with `--platform`")


def open_repository(paths: Iterable[Path], platform: Path | None, here: Path) -> Repository:
    """The repository around the current folder, with the specs named, or all of them."""
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
    specs = tuple(_named(named)) if named else tuple(_below(root / SPECS))
    return Repository(root, platform, specs, whole=not named)


def _named(paths: tuple[Path, ...]) -> Iterator[Path]:
    seen = set()
    for path in paths:
        for one in _below(path) if any(_below(path)) else (path,):
            if one not in seen:
                seen.add(one)
                yield one


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - `Path.is_dir` raises for a name that is too long


def _below(folder: Path) -> Iterator[Path]:
    if _is_folder(folder):
        yield from sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS)


def read_bytes(path: Path, name: str) -> bytes | Found:
    """The bytes of a file, one more than the most that is read at the most; or why they cannot be had."""
    at = Span(name, 1, 1, 1, 1)
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return Found("unreadable-file", at, "it is a folder", "name a file")
        if not stat.S_ISREG(mode):
            return Found("unreadable-file", at, "it is no ordinary file", "name a file")
        with path.open("rb") as file:
            return file.read(LARGEST + 1)
    except FileNotFoundError:
        return Found("unreadable-file", at, "there is no such file", "see that the name is right")
    except PermissionError:
        return Found("unreadable-file", at, "reading it is not permitted", f"allow it: `chmod +r {name}`")
    except (OSError, ValueError) as error:
        says = f"it cannot be read: {getattr(error, 'strerror', None) or error}"
        return Found("unreadable-file", at, says, "see that the name is right and the disk is well")


def digest(raw: bytes | None) -> str | None:
    """What stands for the content of a file; none for a file that cannot be read."""
    return None if raw is None else hashlib.blake2b(raw, digest_size=16).hexdigest()
