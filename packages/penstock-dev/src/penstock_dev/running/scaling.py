"""How many processes a spec gets: what KEDA and the HPA would make of the same numbers, by a clock that may be fast."""

from __future__ import annotations

from penstock_scaling import Autoscaler, Decision, Readings
from penstock_scaling.settings import Settings
from penstock_spec.findings import CannotGoOn


class Scaling:
    """Of one spec."""

    def __init__(self, settings: Settings, start: float) -> None:
        """Begin at a time of the faster clock."""
        self._autoscaler = Autoscaler(settings, start)
        self._held = False
        self.decision = ""
        """The last, in words."""

    @property
    def paused(self) -> bool:
        """Whether it stands still: by a key, or because the spec says so."""
        return self._held or self._autoscaler.settings.pause.everything

    @property
    def due(self) -> float:
        """When it wants to have its turn."""
        return self._autoscaler.due()

    def pause(self) -> None:
        """Stand still."""
        self._held = True

    def resume(self) -> None:
        """Go on. Raises CannotGoOn."""
        self._held = False
        if self.paused:
            raise CannotGoOn("the spec says `scaling.paused`", "change it there")

    def change(self, settings: Settings, now: float) -> None:
        """The spec has changed: where that asks for another ScaledObject, KEDA begins anew."""
        if settings != self._autoscaler.settings:
            self._autoscaler = Autoscaler(settings, now)

    def turn(self, now: float, readings: Readings, replicas: int) -> tuple[int, tuple[Decision, ...]]:
        """How many there should be, and what was decided."""
        wanted = self._autoscaler.advance(now, lambda: readings, replicas)
        said = self._autoscaler.said
        if said:
            told = [one for one in said if one.changed] or said
            self.decision = str(told[-1])
        return wanted, said
