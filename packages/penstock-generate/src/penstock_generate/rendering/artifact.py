"""What the generator makes: files, as values."""

from __future__ import annotations

from dataclasses import dataclass

REPOSITORY_FOLDERS = ("schemas", "images", "chart")
"""Folders that belong to the repository as a whole, and to no environment."""
ENVIRONMENT_FOLDER = "_environment"
"""The folder, in an environment's, of what belongs to all of its pipelines. No spec can have this name."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file below `generated/`."""

    path: str
    """From `generated/` on, with `/`: `production/media-cluster/worker.json`."""
    content: str
    maker: str
    """What made it: a template, `templates/pipeline/manifests/deployment.yaml.j2`, or a module."""
    copied: bool = False
    """Whether it is a file that lay there already, byte by byte."""

    @property
    def folder(self) -> str:
        """The folder of its owner, such as `production/media-cluster`, however deep the file lies."""
        parts = self.path.split("/", 2)
        return parts[0] if parts[0] in REPOSITORY_FOLDERS else "/".join(parts[:2])
