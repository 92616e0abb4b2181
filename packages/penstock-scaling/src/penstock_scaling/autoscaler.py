"""KEDA and the HPA together, for whoever holds a clock: a real one, or a simulation's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from penstock_scaling.hpa import Hpa
from penstock_scaling.keda import KedaState, check
from penstock_scaling.readings import Readings
from penstock_scaling.scalers import ScalerReadout, Scalers
from penstock_scaling.settings import Settings


@dataclass(frozen=True, slots=True)
class Decision:
    """What one of the two made of what it saw, also where it left the pods as they are."""

    at: float
    by: Literal["KEDA", "HPA"]
    before: int
    after: int
    why: str

    @property
    def changed(self) -> bool:
        """The number of pods is another."""
        return self.before != self.after

    def __str__(self) -> str:
        """`HPA: 23 / 5 -> 5`, as a log shows it."""
        return f"{self.by}: {self.why}"


class Autoscaler:
    """Call `advance` when `due` says, or later; it makes up for nothing that was missed.

    All times are seconds of the caller's clock. KEDA looks at once and then every poll, the HPA a sync later and then
    every sync; a caller whose clock runs fast divides nothing.
    """

    def __init__(self, settings: Settings, start: float = 0.0) -> None:
        """Begin at a time: the ScaledObject is made then."""
        self.settings = settings
        self.said: tuple[Decision, ...] = ()
        """What was decided in the last call, in order."""
        self.look = ScalerReadout()
        """What was seen last."""
        self._scalers, self._hpa, self._memory = Scalers(settings), Hpa(settings), KedaState(start)
        self._poll, self._sync = start, start + settings.sync

    def due(self) -> float:
        """When it wants to be called next; never, and so infinity, once it is paused."""
        return min(self._poll, self._sync)

    def advance(self, now: float, read: Callable[[], Readings], replicas: int) -> int:
        """What the pods should be now, given what there are. Each of the two that is due reads anew."""
        said: list[Decision] = []
        if self.settings.pause.everything:
            replicas = self._paused(now, replicas, said)
        else:
            if now >= self._poll:
                self._poll = now + self.settings.poll
                said.append(self._keda(now, read(), replicas))
                replicas = said[-1].after
            if now >= self._sync:
                self._sync = now + self.settings.sync
                said.append(self._hpa_turn(now, read, replicas))
                replicas = said[-1].after
        self.said = tuple(said)
        return replicas

    def _keda(self, now: float, readings: Readings, replicas: int) -> Decision:
        self.look = self._scalers.look(readings, replicas)
        checked = check(self.settings, self.look, replicas, now, self._memory)
        self._memory = checked.memory
        return Decision(now, "KEDA", replicas, checked.replicas, checked.why)

    def _hpa_turn(self, now: float, read: Callable[[], Readings], replicas: int) -> Decision:
        """The HPA asks KEDA, which reads anew; at zero it does not ask."""
        if replicas:
            self.look = self._scalers.look(read(), replicas)
        synced = self._hpa.sync(self.look.metrics, replicas, now)
        return Decision(now, "HPA", replicas, synced.replicas, synced.why)

    def _paused(self, now: float, replicas: int, said: list[Decision]) -> int:
        """KEDA ends its loop and takes the HPA away; a number in the annotation is set once."""
        self._poll = self._sync = math.inf
        at = self.settings.pause.at
        to = replicas if at is None else at
        said.append(Decision(now, "KEDA", replicas, to, "paused" if to == replicas else f"paused: {replicas} -> {to}"))
        return to
