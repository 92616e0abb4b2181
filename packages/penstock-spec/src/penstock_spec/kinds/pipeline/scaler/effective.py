"""The emitted ScaledObject, after the repository's own template and the patches, and the source of each value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from penstock_spec.context import SpecContext, steps
from penstock_spec.kinds.pipeline.scaler.formula import names_in
from penstock_spec.kinds.pipeline.scaler.scaled_object import scaled_object
from penstock_spec.kinds.pipeline.scaler.trigger import Trigger, triggers_in
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.manifest_templates import ManifestTemplates, RenderedManifest
from penstock_spec.patching import PatchedManifest, patched, steps_of
from penstock_spec.platform import Environment
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
"""The field that sets each place of the manifest, unless a patch or a template does."""


@dataclass(frozen=True, slots=True)
class ScalerManifest:
    """The emitted ScaledObject and its sources."""

    result: PatchedManifest
    from_spec: dict[str, Any]
    """The manifest from the spec alone."""
    rendered: RenderedManifest | None
    """The manifest from the repository's own template, before patches."""

    def template_line(self, place: Path) -> str:
        """The line of the template that decides a place; empty if no template changes it."""
        if self.rendered is None or _at(self.rendered.manifest, place) == _at(self.from_spec, place):
            return ""
        return self.rendered.line_of(place)


def scaler_manifest(spec: Pipeline, environment: Environment, templates: ManifestTemplates | None) -> ScalerManifest:
    """The ScaledObject of a pipeline: from the spec, through the repository's own template, with the spec's patches."""
    from_spec = scaled_object(spec, environment)
    rendered = templates.scaled_object(spec, environment) if templates else None
    manifest = rendered.manifest if rendered else from_spec
    result = patched(manifest, spec.patches, "ScaledObject") if spec.patches else PatchedManifest(manifest)
    return ScalerManifest(result, from_spec, rendered)


@dataclass(frozen=True, slots=True)
class EffectiveScaler:
    """The emitted manifest, for rules. A value with an invalid type counts as missing."""

    manifest: ScalerManifest
    subject: SpecContext[Pipeline]
    triggers: tuple[Trigger, ...]
    formula: str

    @property
    def result(self) -> PatchedManifest:
        """The manifest after its patches."""
        return self.manifest.result

    @property
    def is_changed(self) -> bool:
        """Whether a patch or a template of the repository changes it."""
        return bool(self.result.written or self.result.removed or self.manifest.rendered)

    def is_changed_at(self, place: Path) -> bool:
        """Whether a patch or a template of the repository decides a place."""
        return bool(self.result.author(place) or self.manifest.template_line(place))

    def get(self, *place: str | int) -> Any:  # noqa: ANN401 - a patch may set any value
        """The value at a place of the manifest, or None."""
        value: Any = self.result.manifest
        for step in place:
            value = value.get(step) if isinstance(value, dict) else None
        return value

    def integer(self, *place: str | int) -> int | None:
        """The whole number at a place of the manifest, or None."""
        value = self.get(*place)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    @property
    def min_replicas(self) -> int:
        """The minimum number of pods."""
        return self.integer("spec", "minReplicaCount") or 0

    @property
    def counted_triggers(self) -> tuple[Trigger, ...]:
        """The triggers that affect scaling: with a formula, those that it uses."""
        if not self.formula:
            return self.triggers
        names = names_in(self.formula)
        return tuple(one for one in self.triggers if one.name in names)

    def author(self, *places: Path) -> Path:
        """The path in the spec that decides these places: a patch of any of them, otherwise the field of the first."""
        for place in places:
            if by := self.result.author(place):
                return by
        place = places[0]
        return steps(next(FIELDS[place[:end]] for end in range(len(place), -1, -1) if place[:end] in FIELDS))

    def line(self, place: Path) -> str:
        """The line of the value of a place, for messages: `line 21`, or a file and a line."""
        by_template = "" if self.result.author(place) else self.manifest.template_line(place)
        return by_template or self.subject.line(dotted(self.author(place)))

    def problem(self, says: str, hint: str, *places: Path) -> Problem:
        """A finding at the value that decides these places. For a template, the hint has its line."""
        path = self.author(*places)
        if path[0] != "patches" and (line := self._template_line(places)):
            hint = f"change {line}, which overrides the spec here"
        return Problem("", self.subject.layers.at(path), says, hint, dotted(path))

    def _template_line(self, places: tuple[Path, ...]) -> str:
        return next((line for place in places if (line := self.manifest.template_line(place))), "")


def effective(subject: SpecContext[Pipeline]) -> EffectiveScaler:
    """The emitted ScaledObject of a spec in its environment. It is computed once per subject."""
    return subject.once(_effective)


def _effective(subject: SpecContext[Pipeline]) -> EffectiveScaler:
    manifest = scaler_manifest(subject.spec, subject.platform, subject.templates)
    scaler = EffectiveScaler(manifest, subject, (), "")
    formula = scaler.get(*FORMULA)
    triggers = tuple(triggers_in(scaler.get(*TRIGGERS)))
    return replace(scaler, triggers=triggers, formula=formula if isinstance(formula, str) else "")


def _at(manifest: Any, place: Path) -> Any:  # noqa: ANN401 - a template may set any value
    for step in place:
        if isinstance(manifest, list) and isinstance(step, int) and step < len(manifest):
            manifest = manifest[step]
        else:
            manifest = manifest.get(step) if isinstance(manifest, dict) else None
    return manifest


def patched_values(patches: list[Patch], target: str, *place: str) -> Iterator[tuple[Path, Any]]:
    """The values that patches set at or below a place of another manifest, with their paths in the spec."""
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
