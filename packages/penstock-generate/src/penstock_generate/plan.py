"""What is generated from: a spec as it is in an environment, and what follows from both."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock_generate.artifact import OF_ENVIRONMENT
from penstock_spec.layers import Layers
from penstock_spec.platform import Environment

DOMAIN = "penstock.dev"
"""What our own labels and annotations begin with."""
JANITOR = "penstock-janitor"
"""Of all that is the janitor's, in every environment; the scaler asks for the age of a message under this name."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One spec in one environment, to be emitted."""

    environment: str
    around: Environment
    spec: Any
    """The model of its kind."""
    layers: Layers
    beside: Path
    """The folder of the spec; files that it names are found from here."""

    @property
    def name(self) -> str:
        """Which is also that of its folder."""
        return str(self.spec.name)

    @property
    def source(self) -> str:
        """The file of the spec."""
        return self.layers.document.file

    @property
    def folder(self) -> str:
        """Where everything of it goes."""
        return f"{self.environment}/{self.name}"


@dataclass(frozen=True, slots=True)
class Member:
    """What the files of an environment need to know of one of its specs; there may be thousands."""

    name: str
    kind: str
    team: str
    digest: str
    """Of its worker file."""
    role: str
    """What its pods are called beside its name: `worker`."""
    args: tuple[str, ...]
    """Of `penstock` in a pod, before the file that it reads."""
    tended: bool
    """Whether the janitor looks after it."""
    scaled: bool
    """Whether KEDA scales it."""
    patches_pods: bool
    """Whether the janitor sets costs of deletion on its pods."""
    image: str
    """Of its pods, with the environment's prefix."""
    connections: int
    """To Redis, of all its pods together at their maximum."""
    grace_seconds: int
    """From SIGTERM to SIGKILL."""
    sends_to: tuple[str, ...] = ()
    """Pipelines whose worker files its pods read as well."""
    backlog: int = 0
    """Messages that may wait, of which Redis must hold all."""
    backlog_bytes: int = 0
    """Of their bodies, where each is as large as it may be."""
    producer: str = ""
    """What who sends to it may do in Redis, as rules of its access list; nothing where nobody can."""


@dataclass(frozen=True, slots=True)
class Whole:
    """An environment with all its specs, to be emitted."""

    environment: str
    around: Environment
    members: tuple[Member, ...]
    """By name."""
    source: str
    """The platform file."""
    version: str
    """Penstock's own."""

    @property
    def folder(self) -> str:
        """Where everything of it goes."""
        return f"{self.environment}/{OF_ENVIRONMENT}"

    @property
    def kinds(self) -> tuple[str, ...]:
        """Of its specs."""
        return tuple(sorted({one.kind for one in self.members}))

    @property
    def tended(self) -> tuple[Member, ...]:
        """Those that the janitor looks after."""
        return tuple(one for one in self.members if one.tended)
