"""KEDA's loop: between nothing and something. From one pod on, the HPA counts.

    active:   r == 0 or (idle set and r < min) -> r = max(1, min);  remember now (not when the check had an error)
    inactive: error and (no fallback or fallback.replicas != 0) -> leave
              (idle set and r > idle) or (r > 0 and min == 0) -> after cooldown since last active: r = idle or min
              idle not set and r < min -> r = min

(KEDA 2.21, `pkg/scaling/executor`.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from penstock_scaling.scalers import ScalerReadout
from penstock_scaling.settings import Settings


@dataclass(frozen=True, slots=True)
class KedaState:
    """What the loop knows from before."""

    created: float
    last_active: float | None = None


@dataclass(frozen=True, slots=True)
class KedaStep:
    """The pods that there should be, what to remember, and why."""

    replicas: int
    memory: KedaState
    why: str


def check(settings: Settings, look: ScalerReadout, replicas: int, now: float, memory: KedaState) -> KedaStep:
    """One turn of the loop."""
    if look.unreachable:
        return KedaStep(replicas, memory, "Redis is absent: nothing is done, and no fallback comes")
    if look.active or settings.pause.force_activation:
        return _active(settings, look, replicas, now, memory)
    return _inactive(settings, look, replicas, now, memory)


def _active(settings: Settings, look: ScalerReadout, replicas: int, now: float, memory: KedaState) -> KedaStep:
    seen = KedaState(memory.created, now)
    if replicas == 0 or (settings.idle is not None and replicas < settings.min):
        if settings.pause.scale_out:
            return KedaStep(replicas, memory, "active, but scaling out is paused")
        first = max(1, settings.min)
        return KedaStep(first, seen, f"active: {replicas} -> {first}")
    # KEDA does not remember an activity in which some trigger failed, so the cooldown goes on.
    return KedaStep(replicas, memory if look.error else seen, "active")


def _inactive(settings: Settings, look: ScalerReadout, replicas: int, now: float, memory: KedaState) -> KedaStep:
    if look.error and (settings.fallback is None or settings.fallback.replicas != 0):
        return KedaStep(replicas, memory, "a trigger failed: nothing is done")
    idle = settings.idle
    if (idle is not None and replicas > idle) or (replicas > 0 and settings.min == 0):
        return _cooling(settings, replicas, now, memory)
    if idle is None and replicas < settings.min:
        return KedaStep(settings.min, memory, f"below the minimum: {replicas} -> {settings.min}")
    return KedaStep(replicas, memory, "not active")


def _cooling(settings: Settings, replicas: int, now: float, memory: KedaState) -> KedaStep:
    if settings.pause.scale_in:
        return KedaStep(replicas, memory, "not active, but scaling in is paused")
    # KEDA asks for more than the cooldown, but remembers whole seconds cut off: at the very end of it, it has passed.
    if memory.last_active is None:
        end = memory.created + settings.initial_cooldown
    else:
        end = memory.last_active + settings.cooldown
    if now < end:
        return KedaStep(replicas, memory, f"cooldown for {math.ceil(end - now)} s more")
    to = settings.min if settings.idle is None else settings.idle
    return KedaStep(to, memory, f"cooldown over: {replicas} -> {to}")
