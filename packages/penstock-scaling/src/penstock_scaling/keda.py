"""KEDA's loop, which scales between zero and one. From one pod on, the HPA scales.

    active:   r == 0 or (idle set and r < min) -> r = max(1, min);  remember now (not if a trigger failed)
    inactive: a trigger failed and (no fallback or fallback.replicas != 0) -> no change
              (idle set and r > idle) or (r > 0 and min == 0) -> after the cooldown r = idle if set, else min
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
    """What the loop remembers."""

    created: float
    last_active: float | None = None


@dataclass(frozen=True, slots=True)
class KedaStep:
    """The wanted number of pods, the new state, and why."""

    replicas: int
    state: KedaState
    why: str


def keda_step(settings: Settings, readout: ScalerReadout, replicas: int, now: float, state: KedaState) -> KedaStep:
    """One poll."""
    if readout.unreachable:
        return KedaStep(replicas, state, "Redis is unreachable: no change, no fallback")
    if readout.active or settings.pause.force_activation:
        return _active(settings, readout, replicas, now, state)
    return _inactive(settings, readout, replicas, now, state)


def _active(settings: Settings, readout: ScalerReadout, replicas: int, now: float, state: KedaState) -> KedaStep:
    now_active = KedaState(state.created, now)
    if replicas == 0 or (settings.idle is not None and replicas < settings.min):
        if settings.pause.scale_out:
            return KedaStep(replicas, state, "active, but scaling out is paused")
        first = max(1, settings.min)
        return KedaStep(first, now_active, f"active: {replicas} -> {first}")
    # KEDA does not record activity while a trigger fails, so the cooldown continues.
    return KedaStep(replicas, state if readout.error else now_active, "active")


def _inactive(settings: Settings, readout: ScalerReadout, replicas: int, now: float, state: KedaState) -> KedaStep:
    if readout.error and (settings.fallback is None or settings.fallback.replicas != 0):
        return KedaStep(replicas, state, "a trigger failed: no change")
    idle = settings.idle
    if (idle is not None and replicas > idle) or (replicas > 0 and settings.min == 0):
        return _cooling(settings, replicas, now, state)
    if idle is None and replicas < settings.min:
        return KedaStep(settings.min, state, f"below the minimum: {replicas} -> {settings.min}")
    return KedaStep(replicas, state, "not active")


def _cooling(settings: Settings, replicas: int, now: float, state: KedaState) -> KedaStep:
    if settings.pause.scale_in:
        return KedaStep(replicas, state, "not active, but scaling in is paused")
    # KEDA waits for longer than the cooldown, but stores truncated seconds: exactly at its end, the cooldown is over.
    if state.last_active is None:
        end = state.created + settings.initial_cooldown
    else:
        end = state.last_active + settings.cooldown
    if now < end:
        return KedaStep(replicas, state, f"cooldown, {math.ceil(end - now)} s left")
    to = settings.min if settings.idle is None else settings.idle
    return KedaStep(to, state, f"cooldown over: {replicas} -> {to}")
