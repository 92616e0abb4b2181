"""The folders of `generated/` as they lie on disk, held against what should lie there."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from stat import S_ISDIR, S_ISLNK

from penstock_generate import listing
from penstock_generate.artifact import OF_ALL
from penstock_spec.findings import CannotGoOn

INITIAL = "schemas"
"""What `penstock init` writes before there is a listing."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Paths from `generated/` on."""

    missing: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()
    """As they were generated once, from something else."""
    edited: tuple[str, ...] = ()
    """Changed by hand since."""
    left_over: tuple[str, ...] = ()
    """Nobody's any more."""
    is_new: bool = False
    """There is nothing at the folder's place."""

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.missing or self.outdated or self.edited or self.left_over)

    @property
    def to_write(self) -> tuple[str, ...]:
        """Files that get new content."""
        return (*self.missing, *self.outdated, *self.edited)


def compare(root: Path, folder: str, wanted: Mapping[str, bytes]) -> Difference:
    """One folder. Changes nothing; raises CannotGoOn where something is in the way that is not ours."""
    if not _lies(root, folder):  # a new folder: there is nothing to look at, file by file
        return Difference(missing=tuple(wanted), is_new=True)
    owned = _owned(root, folder)
    missing: list[str] = []
    outdated: list[str] = []
    edited: list[str] = []
    for way in {path.rpartition("/")[0] for path in wanted}:
        _check_way(root, way)
    for path, content in wanted.items():
        lying = _bytes(root, path)
        if lying is None:
            missing.append(path)
        elif lying != content:
            told = owned.get(path, "" if folder == INITIAL else None)
            if told is None:
                says = f"`{root.name}/{path}` is in the way: it is not listed as generated"
                raise CannotGoOn(says, "move it elsewhere, or delete it")
            (outdated if told in ("", listing.digest(lying)) else edited).append(path)
    left_over = [path for path in owned if path not in wanted and os.path.lexists(root / path)]
    return Difference(tuple(missing), tuple(outdated), tuple(edited), tuple(sorted(left_over)))


def added(differences: list[Difference]) -> Difference:
    """All of them, in the order of paths."""

    def all_of(parts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(sorted(chain.from_iterable(parts)))

    return Difference(
        all_of(one.missing for one in differences),
        all_of(one.outdated for one in differences),
        all_of(one.edited for one in differences),
        all_of(one.left_over for one in differences),
    )


def _lies(root: Path, folder: str) -> bool:
    """Whether there is anything at a folder's place."""
    if os.path.lexists(f"{root}/{folder}"):
        return True
    _check_way(root, folder.rpartition("/")[0])
    return False


def _owned(root: Path, folder: str) -> Mapping[str, str]:
    """What was generated, with its digest; a listing itself has none."""
    at = f"{folder}/{listing.NAME}"
    try:
        text = (root / at).read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    return {at: "", **{f"{folder}/{path}": told for path, told in listing.parse(text).items()}}


def folders(root: Path) -> list[str]:
    """Those that have a listing."""
    return sorted(one for one in candidates(root) if os.path.lexists(f"{root}/{one}/{listing.NAME}"))


def candidates(root: Path) -> list[str]:
    """Where there may be folders of ours."""
    found = [*OF_ALL]
    with contextlib.suppress(FileNotFoundError), os.scandir(root) as entries:
        for entry in entries:
            if entry.is_dir():
                found += (f"{entry.name}/{name}" for name in os.listdir(entry.path))  # noqa: PTH208 - as below
    return found


def _bytes(root: Path, path: str) -> bytes | None:
    """None where there is nothing."""
    try:
        with open(root / path, "rb") as file:  # noqa: PTH123 - as short a way as there is: there are thousands
            return file.read()
    except FileNotFoundError:
        return None
    except IsADirectoryError:
        raise CannotGoOn(f"`{root.name}/{path}` is a folder, and a file belongs there", "move it elsewhere") from None


def _check_way(root: Path, way: str) -> None:
    """Nothing is read or written through a link that leads out."""
    there = os.fspath(root)
    for step in way.split("/"):
        there = f"{there}/{step}"
        try:
            mode = os.lstat(there).st_mode
        except FileNotFoundError:
            return
        if S_ISLNK(mode):
            _check_link(root, way)
        elif not S_ISDIR(mode):
            file = there.removeprefix(os.fspath(root))
            raise CannotGoOn(f"a file is in the way of `{root.name}{file}`", "move it elsewhere")


def _check_link(root: Path, way: str) -> None:
    parent = os.path.realpath(root / way)
    if not Path(parent).is_relative_to(os.path.realpath(root)):
        raise CannotGoOn(f"`{root.name}/{way}` lies behind a link that leads out of `{root.name}`", "remove the link")
    if os.path.exists(parent) and not os.path.isdir(parent):  # noqa: PTH110, PTH112 - texts, as realpath gives them
        raise CannotGoOn(f"a file is in the way of `{root.name}/{way}`", "move it elsewhere")
