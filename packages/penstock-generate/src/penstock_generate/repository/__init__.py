"""What belongs to a repository as a whole: the chart, schemas for editors, and how images are built."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.templates import Templates
from penstock_spec import json_schema

__all__ = ["emit"]

IMAGES = ("janitor.Dockerfile", "worker.Dockerfile", "worker.Dockerfile.dockerignore")
"""The janitor's image takes nothing from the repository, so that there is nothing to leave out."""


def emit(templates: Templates, version: str) -> Iterator[Artifact]:
    """Its files, a folder after the other."""
    yield from templates.copied("chart")
    for name, content in json_schema.files().items():
        yield Artifact(f"schemas/{name}", content, json_schema.__name__)
    for name in IMAGES:
        yield templates.artifact(f"images/{name}", f"images/{name}", {"version": version})
