"""Everything around the pipelines of an environment together."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.artifact import Artifact
from penstock_generate.environment import overview
from penstock_generate.plan import Whole
from penstock_generate.rendering import Templates

__all__ = ["emit"]


def emit(it: Whole, templates: Templates) -> Iterator[Artifact]:
    """Its files, in no particular order."""
    yield from overview.files(it, templates)
