"""The files of an environment."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.environment import acl, alertmanager, compose, manifests, overview, rules, terraform
from penstock_generate.inputs.plan import PlannedEnvironment
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.templates import Templates

__all__ = ["emit"]


def emit(it: PlannedEnvironment, templates: Templates) -> Iterator[Artifact]:
    """The files in any order; none if no spec needs them."""
    if not it.members:
        return
    yield from manifests.emit(it, templates)
    yield from overview.files(it, templates)
    yield from rules.emit(it, templates)
    yield from alertmanager.emit(it)
    yield from compose.emit(it, templates)
    yield from terraform.emit(it)
    yield from acl.emit(it)
