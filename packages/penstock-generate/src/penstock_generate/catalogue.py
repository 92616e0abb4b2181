"""What there is to generate, a line each: the page of artifacts and its tests read it from here.

Each folder that emits has it in a module `catalogue`: each kind of spec, the environment, the repository.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Known:
    """A file, or several that are alike."""

    paths: tuple[str, ...]
    """Below its folder: `manifests/deployment.yaml`; of the repository's below `generated/`."""
    what: str
    """What it is, as a sentence without its full stop."""
    readers: str
    """Who reads it."""
    same_as: str = ""
    """A file of the folder that changes with it: this one says the same in another way."""


def known(path: str, what: str, readers: str, same_as: str = "") -> Known:
    """One file."""
    return Known((path,), what, readers, same_as)


LISTING = known(
    "FILES", "What was generated in this folder, with digests: what is not listed is never touched", "penstock"
)
