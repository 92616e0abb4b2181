"""Inputs of the emitters: a spec in an environment, and an environment with all its specs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock_generate.rendering.artifact import ENVIRONMENT_FOLDER
from penstock_spec.layers import Layers
from penstock_spec.platform import Environment

DOMAIN = "penstock.dev"
"""Prefix of Penstock's labels and annotations."""
JANITOR = "penstock-janitor"
"""Name of the janitor's objects in every environment. KEDA reads the age of the oldest message from its Service."""


@dataclass(frozen=True, slots=True)
class PlannedSpec:
    """One spec in one environment, ready to be emitted."""

    environment: str
    around: Environment
    """The settings of the environment in the platform file."""
    spec: Any
    """The model of its kind."""
    layers: Layers
    spec_folder: Path
    """The folder of the spec; files that it names are relative to it."""

    @property
    def name(self) -> str:
        """The name of the spec and of its folder."""
        return str(self.spec.name)

    @property
    def source(self) -> str:
        """The file of the spec."""
        return self.layers.document.file

    @property
    def folder(self) -> str:
        """The folder of its files below `generated/`."""
        return f"{self.environment}/{self.name}"


@dataclass(frozen=True, slots=True)
class Member:
    """The facts about one spec that the files of its environment need; there may be thousands."""

    name: str
    kind: str
    team: str
    digest: str
    """Of its worker file."""
    role: str
    """The role of its pods: `worker`."""
    args: tuple[str, ...]
    """Arguments of `penstock` in a pod, before the worker file."""
    maintained: bool
    """Whether the janitor maintains it."""
    scaled: bool
    """Whether KEDA scales it."""
    patches_pods: bool
    """Whether the janitor sets the deletion cost of its pods."""
    image: str
    """Of its pods, with the environment's prefix."""
    connections: int
    """To Redis, of all its pods together at their maximum."""
    grace_seconds: int
    """From SIGTERM to SIGKILL."""
    sends_to: tuple[str, ...] = ()
    """Pipelines whose worker files its pods read too."""
    backlog: int = 0
    """The most messages that may wait, which Redis must be able to hold."""
    backlog_bytes: int = 0
    """The size of that backlog if every body has the maximum size."""
    producer: str = ""
    """The rights of its producers in Redis, as rules of an access list; empty if it takes no messages."""


@dataclass(frozen=True, slots=True)
class PlannedEnvironment:
    """One environment with all its specs, ready to be emitted."""

    environment: str
    around: Environment
    """Its settings in the platform file."""
    members: tuple[Member, ...]
    """Sorted by name."""
    source: str
    """The platform file."""
    version: str
    """Of Penstock."""

    @property
    def folder(self) -> str:
        """The folder of its files below `generated/`."""
        return f"{self.environment}/{ENVIRONMENT_FOLDER}"

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its specs."""
        return tuple(sorted({one.kind for one in self.members}))

    @property
    def maintained(self) -> tuple[Member, ...]:
        """The specs that the janitor maintains."""
        return tuple(one for one in self.members if one.maintained)
