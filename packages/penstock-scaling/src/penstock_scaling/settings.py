"""The settings of KEDA and the HPA. `manifest.py` reads them from a ScaledObject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from penstock_scaling.formula import Formula

Select = Literal["Max", "Min", "Disabled"]
Reads = Literal["length", "lag", "pending", "parked", "oldest", "other"]
"""What a trigger counts; `parked` is any list, whose messages no pod can work on, and none exists in a simulation."""

FallbackBehavior = Literal[
    "static", "currentReplicas", "currentReplicasIfHigher", "currentReplicasIfLower", "scalingModifiers"
]


@dataclass(frozen=True, slots=True)
class Policy:
    """A rate limit: a number or a percentage of pods per period."""

    type: Literal["Pods", "Percent"]
    value: int
    period: float


@dataclass(frozen=True, slots=True)
class ScalingRules:
    """How the HPA scales in one direction."""

    window: float
    policies: tuple[Policy, ...]
    select: Select = "Max"
    tolerance: float | None = None
    """Overrides the cluster's tolerance."""


PERCENT = Policy("Percent", 100, 15)
UP = ScalingRules(window=0, policies=(Policy("Pods", 4, 15), PERCENT))
DOWN = ScalingRules(window=300, policies=(PERCENT,))
"""Kubernetes' defaults for a direction without settings, if there is a behavior at all."""


@dataclass(frozen=True, slots=True)
class Behavior:
    """How the HPA scales."""

    up: ScalingRules = UP
    down: ScalingRules = DOWN


@dataclass(frozen=True, slots=True)
class Fallback:
    """Replaces a trigger that has failed more than `failures` times in a row."""

    replicas: int
    failures: int
    behavior: FallbackBehavior = "static"


@dataclass(frozen=True, slots=True)
class Trigger:
    """A KEDA trigger."""

    name: str
    target: float
    """Per pod; used only without a formula."""
    activation: float = 0
    reads: Reads = "other"
    connects: bool = True
    """Whether its scaler cannot be built without its server. An HTTP scaler connects only when it reads."""


@dataclass(frozen=True, slots=True)
class Pause:
    """The effects of KEDA's annotations."""

    everything: bool = False
    at: int | None = None
    """Pods while everything is paused; None keeps the current number."""
    scale_in: bool = False
    scale_out: bool = False
    force_activation: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """The scaling part of a ScaledObject. Times are in seconds."""

    triggers: tuple[Trigger, ...]
    min: int = 0
    max: int = 100
    idle: int | None = None
    poll: float = 30
    cooldown: float = 300
    initial_cooldown: float = 0
    formula: Formula | None = None
    target: float = 0
    """Per pod, for the formula's result."""
    whole_target: bool = True
    """Whether it is written as a whole number: `5`, not `5.0`."""
    activation: float = 0
    fallback: Fallback | None = None
    behavior: Behavior | None = None
    """None differs from the default behavior: the HPA then uses an older algorithm."""
    pause: Pause = Pause()
    tolerance: float = 0.1
    """A setting of the cluster, like `sync` and `window`, the window without a behavior."""
    sync: float = 15
    window: float = 300

    @property
    def hpa_min(self) -> int:
        """The HPA's minimum, which is at least 1."""
        return max(1, self.min)

    @property
    def valid_fallback(self) -> Fallback | None:
        """The fallback. With a formula, KEDA silently ignores it unless the target is written as a whole number."""
        return self.fallback if self.formula is None or self.whole_target else None
