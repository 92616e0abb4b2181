"""What the generator makes: files, as values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file below `generated/`."""

    path: str
    """From `generated/` on, with `/`: `production/media-cluster/worker.json`."""
    content: str

    @property
    def folder(self) -> str:
        """The folder of its owner, `production/media-cluster`: two steps, however deep the file lies."""
        return "/".join(PurePosixPath(self.path).parts[:2])
