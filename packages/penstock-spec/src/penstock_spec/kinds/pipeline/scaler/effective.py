"""The ScaledObject that will really be there, patches applied, and who is to blame for each place of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from penstock_spec.context import SpecContext, steps
from penstock_spec.kinds.pipeline.scaler.formula import names_in
from penstock_spec.kinds.pipeline.scaler.scaled_object import scaled_object
from penstock_spec.kinds.pipeline.scaler.trigger import Trigger, triggers_in
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.layers import Layers
from penstock_spec.patching import PatchedManifest, patched, steps_of
from penstock_spec.reading import Path, Problem, dotted
from penstock_spec.sections import Patch

TRIGGERS: Path = ("spec", "triggers")
MODIFIERS: Path = ("spec", "advanced", "scalingModifiers")
FORMULA: Path = (*MODIFIERS, "formula")

FIELDS: Mapping[Path, str] = {
    ("metadata", "name"): "name",
    ("spec", "scaleTargetRef"): "name",
    ("spec", "minReplicaCount"): "scaling.replicas.min",
    ("spec", "maxReplicaCount"): "scaling.replicas.max",
    ("spec", "pollingInterval"): "scaling.poll",
    ("spec", "cooldownPeriod"): "scaling.cooldown",
    ("spec", "fallback"): "scaling.fallback",
    ("spec", "fallback", "replicas"): "scaling.fallback.replicas",
    (*MODIFIERS, "target"): "scaling.backlog_per_replica",
    FORMULA: "stream.retention.keep",
    TRIGGERS: "stream.retention.keep",
    (): "scaling",
}
"""The field that a place comes from where no patch wrote it."""


@dataclass(frozen=True, slots=True)
class EffectiveScaler:
    """The manifest in force. What a patch has turned into nonsense reads as absent."""

    result: PatchedManifest
    layers: Layers
    triggers: tuple[Trigger, ...]
    formula: str

    def get(self, *place: str | int) -> Any:  # noqa: ANN401 - whatever a patch has put there
        """What stands at a place of the manifest, or None."""
        value: Any = self.result.manifest
        for step in place:
            value = value.get(step) if isinstance(value, dict) else None
        return value

    def whole(self, *place: str | int) -> int | None:
        """A whole number."""
        value = self.get(*place)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    @property
    def least(self) -> int:
        """The pods that are always there."""
        return self.whole("spec", "minReplicaCount") or 0

    @property
    def counted(self) -> tuple[Trigger, ...]:
        """The triggers whose number counts: with a formula, those that it names."""
        if not self.formula:
            return self.triggers
        names = names_in(self.formula)
        return tuple(one for one in self.triggers if one.name in names)

    def author(self, *places: Path) -> Path:
        """The path in the spec behind these places: a patch on any of them, else the first one's field."""
        for place in places:
            if by := self.result.author(place):
                return by
        place = places[0]
        return steps(next(FIELDS[place[:end]] for end in range(len(place), -1, -1) if place[:end] in FIELDS))

    def problem(self, says: str, hint: str, *places: Path) -> Problem:
        """A finding where the effect comes from."""
        path = self.author(*places)
        return Problem("", self.layers.at(path), says, hint, dotted(path))


class _Latest:
    """All rules look at one subject before any looks at the next."""

    subject: SpecContext[Pipeline] | None = None
    effective: EffectiveScaler | None = None


def effective(it: SpecContext[Pipeline]) -> EffectiveScaler:
    """What is in force for a spec in its environment."""
    if _Latest.subject is it and _Latest.effective is not None:
        return _Latest.effective
    manifest = scaled_object(it.spec, it.platform)
    result = patched(manifest, it.spec.patches, "ScaledObject") if it.spec.patches else PatchedManifest(manifest)
    whole = EffectiveScaler(result, it.layers, (), "")
    formula = whole.get(*FORMULA)
    found = tuple(triggers_in(whole.get(*TRIGGERS)))
    _Latest.effective = EffectiveScaler(result, it.layers, found, formula if isinstance(formula, str) else "")
    _Latest.subject = it
    return _Latest.effective


def patched_values(patches: list[Patch], target: str, *place: str) -> Iterator[tuple[Path, Any]]:
    """The values that patches put at or below a place of another manifest, with their paths in the spec."""
    for index, patch in enumerate(patches):
        pointer = steps_of(patch.path)
        if patch.target != target or patch.op == "remove":
            continue
        path: Path = ("patches", index, "value")
        value = patch.value
        if pointer[: len(place)] != place:
            if place[: len(pointer)] != pointer:
                continue
            for step in place[len(pointer) :]:
                at: str | int = int(step) if isinstance(value, list) and step.isdecimal() else step
                inside = isinstance(value, dict) and at in value
                inside = inside or (isinstance(value, list) and isinstance(at, int) and at < len(value))
                if not inside:
                    break
                value, path = value[at], (*path, at)
            else:
                yield path, value
            continue
        yield path, value
