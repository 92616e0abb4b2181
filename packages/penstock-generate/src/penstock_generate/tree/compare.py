"""Compares the folders of `generated/` on disk with their wanted content."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from stat import S_ISDIR, S_ISLNK

from penstock_generate.rendering.artifact import REPOSITORY_FOLDERS
from penstock_generate.tree import listing
from penstock_spec.findings import CannotGoOn

INITIAL = "schemas"
"""The folder that `penstock init` writes before there is a listing."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Paths below `generated/` that differ, by how."""

    missing: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()
    """Generated earlier, from something else."""
    edited: tuple[str, ...] = ()
    """Edited by hand after they were generated."""
    left_over: tuple[str, ...] = ()
    """No longer generated."""
    is_new: bool = False
    """The folder does not exist yet."""

    def __bool__(self) -> bool:
        """Whether anything differs."""
        return bool(self.missing or self.outdated or self.edited or self.left_over)

    @property
    def to_write(self) -> tuple[str, ...]:
        """Files that get new content."""
        return (*self.missing, *self.outdated, *self.edited)


def compare(root: Path, folder: str, wanted: Mapping[str, bytes]) -> Difference:
    """The difference of one folder; changes nothing. Raises CannotGoOn if a file of somebody else is in the way."""
    if not _exists(root, folder):  # a new folder: skip the comparison file by file
        return Difference(missing=tuple(wanted), is_new=True)
    owned = _owned(root, folder)
    missing: list[str] = []
    outdated: list[str] = []
    edited: list[str] = []
    for parent in {path.rpartition("/")[0] for path in wanted}:
        _check_parents(root, parent)
    for path, content in wanted.items():
        actual = _bytes(root, path)
        if actual is None:
            missing.append(path)
        elif actual != content:
            recorded = owned.get(path, "" if folder == INITIAL else None)
            if recorded is None:
                message = f"`{root.name}/{path}` is in the way: `{listing.NAME}` does not list it as generated"
                raise CannotGoOn(message, "move it elsewhere, or delete it")
            (outdated if recorded in ("", listing.digest(actual)) else edited).append(path)
    left_over = [path for path in owned if path not in wanted and os.path.lexists(root / path)]
    return Difference(tuple(missing), tuple(outdated), tuple(edited), tuple(sorted(left_over)))


def merged(differences: list[Difference]) -> Difference:
    """All differences as one, sorted by path."""

    def all_of(parts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(sorted(chain.from_iterable(parts)))

    return Difference(
        all_of(one.missing for one in differences),
        all_of(one.outdated for one in differences),
        all_of(one.edited for one in differences),
        all_of(one.left_over for one in differences),
    )


def _exists(root: Path, folder: str) -> bool:
    """Whether there is anything at a folder's path."""
    if os.path.lexists(f"{root}/{folder}"):
        return True
    _check_parents(root, folder.rpartition("/")[0])
    return False


def _owned(root: Path, folder: str) -> Mapping[str, str]:
    """The files that were generated, with their digests; the listing itself has none."""
    path = f"{folder}/{listing.NAME}"
    try:
        text = (root / path).read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    return {path: "", **{f"{folder}/{name}": digest for name, digest in listing.parse(text).items()}}


def folders(root: Path) -> list[str]:
    """The folders that have a listing."""
    return sorted(one for one in candidates(root) if os.path.lexists(f"{root}/{one}/{listing.NAME}"))


def candidates(root: Path) -> list[str]:
    """The folders that may have been generated."""
    names = [*REPOSITORY_FOLDERS]
    with contextlib.suppress(FileNotFoundError), os.scandir(root) as entries:
        for entry in entries:
            if entry.is_dir():
                names += (f"{entry.name}/{name}" for name in os.listdir(entry.path))  # noqa: PTH208 - as below
    return names


def _bytes(root: Path, path: str) -> bytes | None:
    """The content of a file; None if there is none."""
    try:
        with open(root / path, "rb") as file:  # noqa: PTH123 - the fastest way: there are thousands
            return file.read()
    except FileNotFoundError:
        return None
    except IsADirectoryError:
        raise CannotGoOn(f"`{root.name}/{path}` is a folder where a file belongs", "move it elsewhere") from None


def _check_parents(root: Path, folder: str) -> None:
    """Refuse links that lead out of the tree, and files where a folder belongs."""
    path = os.fspath(root)
    for step in folder.split("/"):
        path = f"{path}/{step}"
        try:
            mode = os.lstat(path).st_mode
        except FileNotFoundError:
            return
        if S_ISLNK(mode):
            _check_link(root, folder)
        elif not S_ISDIR(mode):
            file = path.removeprefix(os.fspath(root))
            raise CannotGoOn(f"`{root.name}{file}` is a file where a folder belongs", "move it elsewhere")


def _check_link(root: Path, folder: str) -> None:
    parent = os.path.realpath(root / folder)
    if not Path(parent).is_relative_to(os.path.realpath(root)):
        raise CannotGoOn(f"a link in `{root.name}/{folder}` leads out of `{root.name}`", "remove the link")
    if os.path.exists(parent) and not os.path.isdir(parent):  # noqa: PTH110, PTH112 - texts, as realpath gives them
        raise CannotGoOn(f"`{root.name}/{folder}` is a file where a folder belongs", "move it elsewhere")
