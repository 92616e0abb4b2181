"""What is emitted for each kind of spec.

A kind is a folder here: `emit` in it, what there is to generate in its `catalogue`, and what an overview of all specs
has of it in its `overview`. Nothing else has to know of it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from penstock_generate.dashboards.panel import Row
from penstock_generate.inputs.plan import Member, PlannedSpec
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.templates import Templates
from penstock_spec.manifest_templates import RenderedManifest
from penstock_spec.platform import Environment


@dataclass(frozen=True, slots=True)
class Emitted:
    """What comes of one spec in one environment."""

    artifacts: tuple[Artifact, ...]
    """Its own files, in no particular order."""
    member: Member | None
    """What the files of the whole environment say of it, if anything."""
    beside: tuple[str, ...] = ()
    """Files beside the spec that were read for it."""


Emit = Callable[[PlannedSpec, Templates], Emitted]


@cache
def emitter(kind: str) -> Emit:
    """What emits for a kind."""
    emit: Emit = importlib.import_module(f"{__name__}.{kind.replace('-', '_')}").emit
    return emit


Render = Callable[[Any, Environment, Templates], RenderedManifest]


@cache
def scaled_object_renderer(kind: str) -> Render:
    """What renders the ScaledObject of a kind that KEDA scales."""
    render: Render = importlib.import_module(f"{__name__}.{kind.replace('-', '_')}.scaled_object").rendered
    return render


@dataclass(frozen=True, slots=True)
class Overview:
    """What an environment's overview has of the specs of one kind."""

    label: str
    """Of all their metrics."""
    info: str
    """The metric that each of their processes always tells."""
    rows: Callable[[str], tuple[Row, ...]]
    """From a namespace to what is shown."""


@cache
def overview_of(kind: str) -> Overview:
    """That of a kind; loaded when an environment has one."""
    found: Overview = importlib.import_module(f"{__name__}.{kind.replace('-', '_')}.overview").OVERVIEW
    return found
