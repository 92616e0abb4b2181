"""The autoscaler of one spec: KEDA and the HPA on a clock that may run faster."""

from __future__ import annotations

import math

from penstock_scaling import Autoscaler, Decision, Readings
from penstock_scaling.settings import Settings
from penstock_spec.findings import CannotGoOn


class Scaling:
    """Scales one spec."""

    def __init__(self, settings: Settings | None, start: float) -> None:
        """Start at a time of the faster clock. None as settings means no autoscaling."""
        self._autoscaler = None if settings is None else Autoscaler(settings, start)
        self._paused = False
        self.decision = ""
        """The last decision, in words."""

    @property
    def paused(self) -> bool:
        """Whether scaling is paused, by a key or by the spec."""
        return self._paused or (self._autoscaler is not None and self._autoscaler.settings.pause.everything)

    @property
    def due(self) -> float:
        """When `advance` is due next; infinity without autoscaling."""
        return math.inf if self._autoscaler is None else self._autoscaler.due()

    def pause(self) -> None:
        """Pause scaling."""
        self._paused = True

    def resume(self) -> None:
        """Resume scaling. Raises CannotGoOn if the spec pauses it."""
        self._paused = False
        if self.paused:
            raise CannotGoOn("`scaling.paused` is set in the spec", "remove it there")

    def change(self, settings: Settings | None, now: float) -> None:
        """Apply changed settings. A changed ScaledObject starts KEDA anew."""
        if settings is None:
            self._autoscaler = None
        elif self._autoscaler is None or settings != self._autoscaler.settings:
            self._autoscaler = Autoscaler(settings, now)

    def advance(self, now: float, readings: Readings, replicas: int) -> tuple[int, tuple[Decision, ...]]:
        """The wanted number of replicas, and the decisions that led to it."""
        if self._autoscaler is None:
            return replicas, ()
        wanted = self._autoscaler.advance(now, lambda: readings, replicas)
        decisions = self._autoscaler.decisions
        if decisions:
            changes = [one for one in decisions if one.changed] or decisions
            self.decision = str(changes[-1])
        return wanted, decisions
