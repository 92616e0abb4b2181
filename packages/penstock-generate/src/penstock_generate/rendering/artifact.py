"""Generated files as values."""

from __future__ import annotations

from dataclasses import dataclass

REPOSITORY_FOLDERS = ("schemas", "images", "chart")
"""Folders that belong to the repository, not to an environment."""
ENVIRONMENT_FOLDER = "_environment"
"""The folder of an environment's common files. No spec can have this name."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file below `generated/`."""

    path: str
    """Relative to `generated/`: `production/media-cluster/worker.json`."""
    content: str
    maker: str
    """The template, `templates/pipeline/manifests/deployment.yaml.j2`, or the module that made it."""
    copied: bool = False
    """Whether it is a byte-by-byte copy."""

    @property
    def folder(self) -> str:
        """The folder of its owner, such as `production/media-cluster`, however deep the file is."""
        parts = self.path.split("/", 2)
        return parts[0] if parts[0] in REPOSITORY_FOLDERS else "/".join(parts[:2])
