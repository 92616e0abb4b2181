"""Finds the files that each field of a spec changes, by giving it another value."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from penstock_generate import environment as of_environment
from penstock_generate.explaining.variants import variants
from penstock_generate.inputs.plan import Member, PlannedEnvironment, PlannedSpec
from penstock_generate.kinds import emitter
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.templates import Templates
from penstock_spec.fields import known_paths
from penstock_spec.model import Section
from penstock_spec.reading import Path

AffectedFiles = dict[str, frozenset[str]]
"""By field, paths below the spec's folder, or `_environment/...`."""


def affected_files(it: PlannedSpec, templates: Templates, below: tuple[str, ...] = ("",)) -> AffectedFiles:
    """The files of each field that can be varied; `below` limits it to fields with these prefixes."""
    affected: dict[str, set[str]] = {}
    emit_files = _emitting(it, templates)
    before = emit_files(it)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pydantic warns about the made-up values
        for path, spec in variants(it.spec):
            field = field_at(type(it.spec), path)
            if not field.startswith(below):
                continue
            try:
                after = emit_files(replace(it, spec=spec))
            except Exception:  # noqa: BLE001, S112 - no rule has seen these values
                continue
            changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
            affected.setdefault(field, set()).update(changed)
    return {field: frozenset(files) for field, files in affected.items()}


def field_at(model: type[Section], path: Path) -> str:
    """The innermost field at a path, as the reference names it: `*` for a chosen key, `[]` for an item."""
    known, innermost, at = known_paths(model), "", ""
    for step in path:
        inside = [f"{at}[]"] if isinstance(step, int) else [f"{at}.{step}".removeprefix("."), f"{at}.*"]
        for one in inside:
            if one in known or any(there.startswith(f"{one}.") for there in known):
                at = one
                break
        else:
            break
        innermost = at if at in known else innermost
    return innermost


def _emitting(it: PlannedSpec, templates: Templates) -> Callable[[PlannedSpec], Mapping[str, str]]:
    emit = emitter(it.spec.kind)

    @lru_cache(maxsize=2)  # most fields do not change the environment's files
    def environment_files(member: Member | None) -> dict[str, str]:
        """The environment's files, as if it had no other spec."""
        alone = PlannedEnvironment(it.environment, it.around, (member,) if member else (), it.source, "0")
        return _contents(of_environment.emit(alone, templates), it.environment)

    def files(one: PlannedSpec) -> Mapping[str, str]:
        emitted = emit(one, templates)
        return _contents(emitted.artifacts, one.folder) | environment_files(emitted.member)

    return files


def _contents(artifacts: Iterable[Artifact], folder: str) -> dict[str, str]:
    return {one.path.removeprefix(f"{folder}/"): one.content for one in artifacts}
