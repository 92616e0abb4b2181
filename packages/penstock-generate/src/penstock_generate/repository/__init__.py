"""What belongs to a repository as a whole: the chart, and schemas for editors."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.artifact import Artifact
from penstock_generate.rendering import Templates
from penstock_spec import json_schema

__all__ = ["emit"]


def emit(templates: Templates) -> Iterator[Artifact]:
    """Its files, a folder after the other."""
    yield from templates.copied("chart")
    for name, content in json_schema.files().items():
        yield Artifact(f"schemas/{name}", content, json_schema.__name__)
