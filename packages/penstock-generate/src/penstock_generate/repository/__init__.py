"""What belongs to a repository as a whole: schemas for editors."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.artifact import Artifact
from penstock_generate.rendering import Templates
from penstock_spec import json_schema

__all__ = ["emit"]


def emit(templates: Templates) -> Iterator[Artifact]:  # noqa: ARG001 - filled next
    """Its files, a folder after the other."""
    for name, content in json_schema.files().items():
        yield Artifact(f"schemas/{name}", content, json_schema.__name__)
