"""The inputs of a generated folder, and variations of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from penstock_generate import environment as of_environment
from penstock_generate import repository as of_repository
from penstock_generate.explaining.variants import OTHER, variants
from penstock_generate.incremental.folders import plan, spec_folders
from penstock_generate.inputs.plan import Member, PlannedEnvironment, PlannedSpec
from penstock_generate.inputs.source import Source
from penstock_generate.kinds import emitter
from penstock_generate.rendering.artifact import ENVIRONMENT_FOLDER, REPOSITORY_FOLDERS, Artifact
from penstock_generate.rendering.templates import Templates
from penstock_spec.findings import CannotGoOn, Span
from penstock_spec.layers import Source as Layer
from penstock_spec.linting.lint import load
from penstock_spec.platform import Environment
from penstock_spec.reading import Path, dotted


@dataclass(frozen=True, slots=True)
class Cause:
    """A field that a line comes from."""

    path: str
    layer: Layer
    at: Span | None
    """The place of its value; None if it is a default or derived."""


Emit = Callable[[Templates], Iterable[Artifact]]


class Inputs(Protocol):
    """The inputs of a folder."""

    def emit(self, templates: Templates) -> Iterable[Artifact]:
        """Its files, without headers."""

    def unpatched(self, templates: Templates) -> Iterable[Artifact]:
        """Its files as templates render them, before patches."""

    def variations(self) -> Iterator[tuple[Cause, Emit]]:
        """For each field, the files with another value there; some values cannot be emitted."""


def inputs_of(source: Source, path: str) -> Inputs:
    """The inputs of a file, by its path below `generated/`."""
    first, _, rest = path.partition("/")
    name = rest.partition("/")[0]
    if first in REPOSITORY_FOLDERS:
        return _OfRepository(source.version)
    if first in source.environments and name == ENVIRONMENT_FOLDER:
        folders = (folder for file in source.inputs.specs for folder in spec_folders(source, plan(source, file)))
        members = [one.member for one in folders if one.member and one.name.startswith(f"{first}/")]
        around, version = source.model.environments[first], source.version
        return _OfEnvironment(source, PlannedEnvironment(first, around, tuple(members), _file(source), version))
    for file in source.inputs.specs:
        if first in source.environments and load(file).data["name"] == name:
            return _OfSpec(source, next(one for one in plan(source, file) if one.environment == first))
    raise CannotGoOn(f"`{path}` follows from no spec", "name a file below `generated/<environment>/<name>/`")


def _file(source: Source) -> str:
    return source.inputs.platform.name


@dataclass(frozen=True, slots=True)
class _OfSpec:
    source: Source
    it: PlannedSpec

    def emit(self, templates: Templates) -> Iterable[Artifact]:
        return emitter(self.it.spec.kind)(self.it, templates).artifacts

    def unpatched(self, templates: Templates) -> Iterable[Artifact]:
        bare = self.it.spec.model_copy(update={"patches": []})
        return emitter(self.it.spec.kind)(replace(self.it, spec=bare), templates).artifacts

    def variations(self) -> Iterator[tuple[Cause, Emit]]:
        layers = self.it.layers
        for path, spec in variants(self.it.spec):
            place = layers.place(path)
            cause = Cause(dotted(path), layers.source(path), place.caret if place else None)
            yield cause, _OfSpec(self.source, replace(self.it, spec=spec)).emit
        for cause, around in _around(self.source, self.it.environment, self.it.around):
            yield cause, _OfSpec(self.source, replace(self.it, around=around)).emit


@dataclass(frozen=True, slots=True)
class _OfEnvironment:
    source: Source
    it: PlannedEnvironment

    def emit(self, templates: Templates) -> Iterable[Artifact]:
        return of_environment.emit(self.it, templates)

    unpatched = emit

    def variations(self) -> Iterator[tuple[Cause, Emit]]:
        for cause, around in _around(self.source, self.it.environment, self.it.around):
            yield cause, _OfEnvironment(self.source, replace(self.it, around=around)).emit
        for index, member in enumerate(self.it.members):
            spec = next(file for file in self.source.inputs.specs if load(file).data["name"] == member.name)
            cause = Cause(member.name, Layer.SPEC, load(spec).start)
            for other in _other_members(member):
                members = (*self.it.members[:index], other, *self.it.members[index + 1 :])
                yield cause, _OfEnvironment(self.source, replace(self.it, members=members)).emit


def _other_members(member: Member) -> Iterator[Member]:
    yield replace(member, name=member.name + OTHER)
    yield replace(
        member,
        digest=OTHER,
        team=member.team + OTHER,
        patches_pods=not member.patches_pods,
        image=member.image + OTHER,
        connections=member.connections + 1,
        grace_seconds=member.grace_seconds + 1,
        backlog=member.backlog + 1,
        backlog_bytes=member.backlog_bytes + 1,
    )


def _around(source: Source, environment: str, around: Environment) -> Iterator[tuple[Cause, Environment]]:
    document = source.platform.document
    for path, other in variants(around):
        full_path: Path = ("environments", environment, *path)
        place = document.places.get(full_path)
        layer = Layer.PLATFORM if place else Layer.DEFAULT
        assert isinstance(other, Environment)  # noqa: S101 - a variant is of the same class
        yield Cause(dotted(full_path), layer, place.caret if place else None), other


class _OfRepository:
    def __init__(self, version: str) -> None:
        self.version = version

    def emit(self, templates: Templates) -> Iterable[Artifact]:
        return of_repository.emit(templates, self.version)

    unpatched = emit

    def variations(self) -> Iterator[tuple[Cause, Emit]]:
        """It depends on no field."""
        yield from ()
