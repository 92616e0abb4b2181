"""The earlier state of `generated/`: on disk, or in a revision of git."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from penstock_generate.rendering.artifact import REPOSITORY_FOLDERS
from penstock_generate.tree import compare, listing
from penstock_spec.findings import CannotGoOn


class Earlier(Protocol):
    """Folders and files by paths below `generated/`."""

    def folders(self) -> list[str]:
        """The folders that have a listing."""

    def listing(self, folder: str) -> str:
        """The listing of a folder; empty if there is none."""

    def files(self, folder: str) -> Mapping[str, bytes]:
        """The listed files that exist."""


class Disk:
    """The state on disk."""

    def __init__(self, root: Path) -> None:
        """`root` is `generated/`."""
        self._root = root

    def folders(self) -> list[str]:
        """The folders that have a listing."""
        return compare.folders(self._root)

    def listing(self, folder: str) -> str:
        """The listing of a folder."""
        path = self._root / folder / listing.NAME
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""

    def files(self, folder: str) -> Mapping[str, bytes]:
        """The listed files that exist."""
        paths = (f"{folder}/{name}" for name in listing.parse(self.listing(folder)))
        return {path: (self._root / path).read_bytes() for path in paths if (self._root / path).is_file()}


class Git:
    """A committed state."""

    def __init__(self, root: Path, revision: str) -> None:
        """`root` is `generated/`, which may have been deleted since."""
        self._where = root.parent
        self._name = root.name
        content = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}")
        if content is None:
            raise CannotGoOn(f"git knows no revision `{revision}` here", "name a branch, a tag or a commit")
        listed = self._git("ls-tree", "-r", "-z", content.decode().strip(), "--", self._name) or b""
        self._blobs: dict[str, str] = {}
        for line in filter(None, listed.split(b"\0")):
            entry, _, path = line.partition(b"\t")
            self._blobs[path.decode("utf-8", "surrogateescape").partition("/")[2]] = entry.split()[2].decode()

    def folders(self) -> list[str]:
        """The folders that have a listing."""
        split = (path.rpartition("/") for path in self._blobs)
        listed = [folder for folder, _, name in split if name == listing.NAME]
        return sorted(one for one in listed if one.count("/") == (0 if one in REPOSITORY_FOLDERS else 1))

    def listing(self, folder: str) -> str:
        """The listing of a folder."""
        return self._blob(f"{folder}/{listing.NAME}").decode("utf-8", "replace")

    def files(self, folder: str) -> Mapping[str, bytes]:
        """The listed files that exist."""
        paths = (f"{folder}/{name}" for name in listing.parse(self.listing(folder)))
        return {path: self._blob(path) for path in paths if path in self._blobs}

    def _blob(self, path: str) -> bytes:
        blob = self._blobs.get(path)
        return (self._git("cat-file", "blob", blob) or b"") if blob else b""

    def _git(self, *arguments: str) -> bytes | None:
        try:
            result = subprocess.run(["git", *arguments], cwd=self._where, capture_output=True, check=False)  # noqa: S603, S607 - no shell; git from the PATH
        except OSError as error:
            raise CannotGoOn(f"git cannot be run: {error.strerror}", "install git, or leave the revision out") from None
        return result.stdout if result.returncode == 0 else None
