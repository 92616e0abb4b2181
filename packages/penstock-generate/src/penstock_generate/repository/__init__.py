"""Files of all environments: the chart, JSON Schemas for editors, and Dockerfiles."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.templates import Templates
from penstock_spec import json_schema

__all__ = ["emit"]

IMAGES = ("janitor.Dockerfile", "worker.Dockerfile", "worker.Dockerfile.dockerignore")
"""The janitor's image copies nothing from the repository, so it needs no `.dockerignore`."""


def emit(templates: Templates, version: str) -> Iterator[Artifact]:
    """The files, folder by folder."""
    yield from templates.copied("chart")
    for name, content in json_schema.files().items():
        yield Artifact(f"schemas/{name}", content, json_schema.__name__)
    for name in IMAGES:
        yield templates.artifact(f"images/{name}", f"images/{name}", {"version": version})
