"""KEDA and the HPA together, driven by a real or a simulated clock."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from penstock_scaling.hpa import Hpa
from penstock_scaling.keda import KedaState, keda_step
from penstock_scaling.readings import Readings
from penstock_scaling.scalers import ScalerReadout, Scalers
from penstock_scaling.settings import Settings


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of KEDA or the HPA, even if it changes nothing."""

    at: float
    by: Literal["KEDA", "HPA"]
    before: int
    after: int
    why: str

    @property
    def changed(self) -> bool:
        """Whether it changes the number of pods."""
        return self.before != self.after

    def __str__(self) -> str:
        """`HPA: 23 / 5 -> 5`, as in a log."""
        return f"{self.by}: {self.why}"


class Autoscaler:
    """Call `advance` when `due` says, or later; missed polls and syncs are not made up for.

    All times are seconds of the caller's clock, which may run fast. KEDA polls at once and then at its interval;
    the HPA syncs first after one interval.
    """

    def __init__(self, settings: Settings, start: float = 0.0) -> None:
        """Start at the time when the ScaledObject is created."""
        self.settings = settings
        self.decisions: tuple[Decision, ...] = ()
        """The decisions of the last call, in order."""
        self.readout = ScalerReadout()
        """The last readout of the triggers."""
        self._scalers, self._hpa, self._state = Scalers(settings), Hpa(settings), KedaState(start)
        self._poll, self._sync = start, start + settings.sync

    def due(self) -> float:
        """When to call `advance` next; infinity once paused."""
        return min(self._poll, self._sync)

    def advance(self, now: float, read: Callable[[], Readings], replicas: int) -> int:
        """The wanted number of pods. KEDA and the HPA each read the triggers when they are due."""
        decisions: list[Decision] = []
        if self.settings.pause.everything:
            replicas = self._paused(now, replicas, decisions)
        else:
            if now >= self._poll:
                self._poll = now + self.settings.poll
                decisions.append(self._keda(now, read(), replicas))
                replicas = decisions[-1].after
            if now >= self._sync:
                self._sync = now + self.settings.sync
                decisions.append(self._hpa_sync(now, read, replicas))
                replicas = decisions[-1].after
        self.decisions = tuple(decisions)
        return replicas

    def _keda(self, now: float, readings: Readings, replicas: int) -> Decision:
        self.readout = self._scalers.read(readings, replicas)
        step = keda_step(self.settings, self.readout, replicas, now, self._state)
        self._state = step.state
        return Decision(now, "KEDA", replicas, step.replicas, step.why)

    def _hpa_sync(self, now: float, read: Callable[[], Readings], replicas: int) -> Decision:
        """The HPA gets its metrics from KEDA, which reads the triggers; not at 0 replicas."""
        if replicas:
            self.readout = self._scalers.read(read(), replicas)
        step = self._hpa.sync(self.readout.metrics, replicas, now)
        return Decision(now, "HPA", replicas, step.replicas, step.why)

    def _paused(self, now: float, replicas: int, decisions: list[Decision]) -> int:
        """KEDA stops its loop and deletes the HPA; a number in the annotation is applied once."""
        self._poll = self._sync = math.inf
        at = self.settings.pause.at
        to = replicas if at is None else at
        why = "paused" if to == replicas else f"paused: {replicas} -> {to}"
        decisions.append(Decision(now, "KEDA", replicas, to, why))
        return to
