"""How many processes a spec gets: what KEDA and the HPA would make of the same numbers, by a clock that may be fast."""

from __future__ import annotations

from penstock.resolved import Resolved
from penstock.wire.errors import RedisTrouble, Refused
from penstock.wire.link import Link
from penstock_dev.running.signals import Signals, signals
from penstock_scaling import Autoscaler, Decision, Failed, Readings, settings_of
from penstock_scaling.settings import Settings
from penstock_spec.kinds.pipeline.scaler.patching import patched
from penstock_spec.kinds.pipeline.scaler.scaled_object import scaled_object


def settings_for(pipeline: Resolved) -> Settings:
    """What KEDA would be told, patches applied. Raises CannotGoOn where that cannot be run here."""
    manifest = scaled_object(pipeline.spec, pipeline.around)
    return settings_of(patched(manifest, pipeline.spec.patches, "ScaledObject").manifest)


class Scaling:
    """Of one spec."""

    def __init__(self, settings: Settings, start: float) -> None:
        """Begin at a time of the faster clock."""
        self._autoscaler = Autoscaler(settings, start)
        self.paused = False
        self.decision = ""
        """The last, in words."""

    def change(self, settings: Settings, now: float) -> None:
        """The spec has changed: where that asks for another ScaledObject, KEDA begins anew."""
        if settings != self._autoscaler.settings:
            self._autoscaler = Autoscaler(settings, now)

    @property
    def due(self) -> float:
        """When it wants to have its turn."""
        return self._autoscaler.due()

    async def turn(
        self, now: float, pipeline: Resolved, link: Link, janitor: int | None, replicas: int
    ) -> tuple[int, tuple[Decision, ...]]:
        """How many there should be, and what was decided."""
        readings = await _readings(pipeline, link, janitor)
        wanted = self._autoscaler.advance(now, lambda: readings, replicas)
        said = self._autoscaler.said
        if said:
            told = [one for one in said if one.changed] or said
            self.decision = str(told[-1])
        return wanted, said


async def _readings(pipeline: Resolved, link: Link, janitor: int | None) -> Readings:
    try:
        return _as_read(await signals(link, pipeline.keys, pipeline.name, janitor))
    except RedisTrouble as trouble:
        failed = Failed.ANSWERED if isinstance(trouble, Refused) else Failed.ABSENT
        return dict.fromkeys(("depth", "parked", "lag", "pending"), failed)


def _as_read(told: Signals) -> Readings:
    found = {
        "depth": told.depth,
        "parked": told.parked,
        "lag": told.lag,
        "pending": told.pending,
        "oldest": told.oldest,
    }
    return {name: Failed.ANSWERED if value is None else float(value) for name, value in found.items()}
