"""What KEDA and the HPA are told, as values. `manifest.py` reads them from a ScaledObject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from penstock_scaling.formula import Formula

Select = Literal["Max", "Min", "Disabled"]
Reads = Literal["length", "lag", "pending", "parked", "oldest", "other"]
"""What a trigger counts, whatever it is named."""

FallbackBehavior = Literal[
    "static", "currentReplicas", "currentReplicasIfHigher", "currentReplicasIfLower", "scalingModifiers"
]


@dataclass(frozen=True, slots=True)
class Policy:
    """A speed limit: so many pods, or so many percent of them, in a time."""

    type: Literal["Pods", "Percent"]
    value: int
    period: float


@dataclass(frozen=True, slots=True)
class Rules:
    """How the HPA moves in one direction."""

    window: float
    policies: tuple[Policy, ...]
    select: Select = "Max"
    tolerance: float | None = None
    """Where it differs from the cluster's."""


PERCENT = Policy("Percent", 100, 15)
UP = Rules(window=0, policies=(Policy("Pods", 4, 15), PERCENT))
DOWN = Rules(window=300, policies=(PERCENT,))
"""What Kubernetes fills in for a direction of which nothing is said, once a behavior is there at all."""


@dataclass(frozen=True, slots=True)
class Behavior:
    """How the HPA moves."""

    up: Rules = UP
    down: Rules = DOWN


@dataclass(frozen=True, slots=True)
class Fallback:
    """What counts instead of a trigger that has failed more than so many times in a row."""

    replicas: int
    failures: int
    behavior: FallbackBehavior = "static"


@dataclass(frozen=True, slots=True)
class Trigger:
    """One of KEDA's scalers."""

    name: str
    target: float
    """Of each pod; counts only where there is no formula."""
    activation: float = 0
    reads: Reads = "other"
    connects: bool = True
    """It cannot even be built while its server is absent. True of Redis; an HTTP endpoint is asked only when read."""


@dataclass(frozen=True, slots=True)
class Pause:
    """What annotations hold back, or force."""

    everything: bool = False
    at: int | None = None
    """Pods to hold while everything is paused; None holds what is there."""
    scale_in: bool = False
    scale_out: bool = False
    force_activation: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """A ScaledObject as far as it says how many pods there are. Times are in seconds."""

    triggers: tuple[Trigger, ...]
    min: int = 0
    max: int = 100
    idle: int | None = None
    poll: float = 30
    cooldown: float = 300
    initial_cooldown: float = 0
    formula: Formula | None = None
    target: float = 0
    """Of each pod, for the formula's result."""
    whole_target: bool = True
    """It is written as a whole number: `5`, not `5.0`."""
    activation: float = 0
    fallback: Fallback | None = None
    behavior: Behavior | None = None
    """None is not the same as its defaults: the HPA then has an older arithmetic."""
    pause: Pause = Pause()
    tolerance: float = 0.1
    """Of the cluster, as is `sync` and the window of an HPA without behavior."""
    sync: float = 15
    window: float = 300

    @property
    def least(self) -> int:
        """The HPA's minimum: it knows no zero."""
        return max(1, self.min)

    @property
    def valid_fallback(self) -> Fallback | None:
        """With a formula, a target that is not written as a whole number switches the fallback off in silence."""
        return self.fallback if self.formula is None or self.whole_target else None
