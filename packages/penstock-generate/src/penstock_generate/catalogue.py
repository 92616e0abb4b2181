"""The list of artifacts, from which the reference page and its tests are made.

Each folder that emits files has a module `catalogue`: each kind of spec, the environment, the repository.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """An artifact: one file, or several alike."""

    paths: tuple[str, ...]
    """Relative to its folder: `manifests/deployment.yaml`. For the repository's, relative to `generated/`."""
    what: str
    """A description without a full stop."""
    readers: str
    """The programs or people that read it."""
    same_as: str = ""
    """A file of the folder with the same content in another form: they change together."""


def entry(path: str, what: str, readers: str, same_as: str = "") -> CatalogueEntry:
    """An artifact of one file."""
    return CatalogueEntry((path,), what, readers, same_as)


LISTING = entry("FILES", "The generated files of the folder, with digests; other files are never touched", "penstock")
