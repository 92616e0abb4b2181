"""The specs and the platform file of this repository."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from penstock_spec.kinds import kinds
from penstock_spec.linting.check import PlatformFile, check_platform, resolve
from penstock_spec.reading import Document, read

Resolve = Callable[[str, str], Any]


def platform_of(root: Path) -> PlatformFile:
    """Read and check the platform file."""
    return check_platform(_document(root, root / "penstock.yaml"))


def resolver(root: Path) -> Resolve:
    """Return a function that resolves a spec in an environment."""
    platform = platform_of(root)

    @cache
    def resolved(name: str, environment: str) -> object:
        spec = _document(root, root / f"specs/{name}.yaml")
        return resolve(kinds()[spec.data["kind"]], spec, platform, environment)[0]

    return resolved


def _document(root: Path, path: Path) -> Document:
    return read(path.relative_to(root).as_posix(), path.read_bytes())
