"""The registry of emitters, one per kind of spec.

A kind is a folder here with `emit`, a `catalogue` of its artifacts, and its rows of the overview in `overview`. Nothing
else has to be registered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from penstock_generate.catalogue import CatalogueEntry
from penstock_generate.dashboards.panel import Row
from penstock_generate.inputs.plan import Member, PlannedSpec
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.templates import Templates
from penstock_spec.kinds.parts import part_of
from penstock_spec.manifest_templates import RenderedManifest
from penstock_spec.platform import Environment


@dataclass(frozen=True, slots=True)
class Emitted:
    """The result for one spec in one environment."""

    artifacts: tuple[Artifact, ...]
    """Its files, in any order."""
    member: Member | None
    """The facts for the environment's files, if it has any."""
    named_files: tuple[str, ...] = ()
    """Files that the spec names, relative to it."""


Emit = Callable[[PlannedSpec, Templates], Emitted]


def part(kind: str, what: str, name: str, module: str = "") -> Any:  # noqa: ANN401 - of another type for each name
    """A value in the folder of a kind, or in a module of it. Raises CannotGoOn if it is missing."""
    where = ".".join(filter(None, (__name__, kind.replace("-", "_"), module)))
    return getattr(part_of(kind, what, where, name), name)


def catalogue_of(kind: str) -> tuple[CatalogueEntry, ...]:
    """The catalogue of the generated files of a kind."""
    files: tuple[CatalogueEntry, ...] = part(kind, "catalogue of files", "FILES", "catalogue")
    return files


@cache
def emitter(kind: str) -> Emit:
    """The emitter of a kind."""
    emit: Emit = part(kind, "emitter", "emit")
    return emit


Render = Callable[[Any, Environment, Templates], RenderedManifest]


@cache
def scaled_object_renderer(kind: str) -> Render:
    """The renderer of the ScaledObject of a kind that KEDA scales."""
    render: Render = part(kind, "ScaledObject", "rendered", "scaled_object")
    return render


@dataclass(frozen=True, slots=True)
class Overview:
    """The rows of one kind in an environment's overview."""

    label: str
    """The label that all its metrics have."""
    info: str
    """Its info metric, which every process exports."""
    rows: Callable[[str], tuple[Row, ...]]
    """From a namespace to rows."""


@cache
def overview_of(kind: str) -> Overview:
    """The overview of a kind; loaded only if an environment has such specs."""
    overview: Overview = part(kind, "overview", "OVERVIEW", "overview")
    return overview
