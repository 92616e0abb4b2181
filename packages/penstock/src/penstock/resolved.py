"""Specs in an environment: their overrides and defaults are applied, and all files that the runtime needs are read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from penstock.keys import PipelineKeys
from penstock.own_templates import read_inputs
from penstock_spec import worker_file
from penstock_spec.files import read_bytes
from penstock_spec.findings import CannotGoOn, LintResult, Severity
from penstock_spec.kinds import kinds
from penstock_spec.kinds.pipeline.message.schema_of import schema_of
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.linting import check, lint
from penstock_spec.manifest_templates import ManifestTemplates
from penstock_spec.model import Section
from penstock_spec.platform import Environment, Redis
from penstock_spec.repository import open_repository

GENERATED = ".json"
"""The suffix of files that the generator wrote for pods."""

SpecT = TypeVar("SpecT", bound=Section)


@dataclass(frozen=True, slots=True)
class Resolved(Generic[SpecT]):
    """One spec of any kind in one environment; kinds with more properties have a subclass."""

    model: ClassVar[type[Section]] = Section
    """The model of the specs that a subclass accepts."""

    spec: SpecT
    environment: str
    around: Environment
    file: Path
    """The spec's file or the generated one; relative paths in the spec start in its folder."""
    schema: dict[str, Any] | None = None
    """The JSON Schema of its messages, if the file has it."""
    generated: Self | None = None
    """This spec with the Redis of its file, if `on` replaced it."""
    templates: ManifestTemplates | None = None
    """The repository's own templates, if they change what scales its pods."""

    @classmethod
    def of(cls, resolved: Resolved[Any], name: str | Path = "") -> Self:
        """A spec of this kind. Raises CannotGoOn for another kind; `name` is the spec's name in that error."""
        if not isinstance(resolved.spec, cls.model):
            name, kind = name or resolved.name, resolved.spec.kind
            says = f"`{name}` is a {kind}, not a {cls.model.__name__.lower()}"
            command = kinds()[kind].command
            raise CannotGoOn(says, f"run it with `{command} {name}`" if command else "")
        one = resolved
        return cls(one.spec, one.environment, one.around, one.file, one.schema, templates=one.templates)

    @property
    def name(self) -> str:
        """The spec's name."""
        name: str = getattr(self.spec, "name")  # noqa: B009 - `Section` has no name, but the model of every kind has one
        return name

    @property
    def redis(self) -> Redis:
        """The Redis of its environment."""
        return self.around.redis

    def on(self, redis: Redis) -> Self:
        """The same spec on another Redis."""
        around = self.around.model_copy(update={"redis": redis})
        return replace(self, around=around, generated=self.generated or self)

    def message_schema(self) -> dict[str, Any] | None:
        """The JSON Schema of its messages, if its kind has messages."""
        return self.schema

    @property
    def digest(self) -> str:
        """The digest of everything that a process reads, as in `worker.json`: it shows what a pod runs."""
        around = (self.generated or self).around
        return worker_file.write(self.environment, self.spec, around, self.message_schema())[1]


class ResolvedPipeline(Resolved[Pipeline]):
    """One pipeline in one environment."""

    __slots__ = ()
    model = Pipeline

    @property
    def folder(self) -> Path:
        """The folder where relative paths in the spec start."""
        return self.file.parent

    @property
    def keys(self) -> PipelineKeys:
        """Its keys in Redis."""
        return PipelineKeys.of(self.spec)

    @property
    def slot_key(self) -> str:
        """The key whose node the pipeline's connections lead to; all its keys share a slot."""
        return self.keys.stream

    def with_schema(self) -> Self:
        """This spec with the schema of its messages loaded, for callers that need it more than once."""
        return replace(self, schema=self.message_schema())

    def message_schema(self) -> dict[str, Any]:
        """The JSON Schema of its messages. Raises CannotGoOn if a file that the spec names contains none."""
        return schema_of(self.spec, self.folder) if self.schema is None else self.schema


@dataclass(frozen=True, slots=True)
class Resolution:
    """Pipelines, or the findings that prevent them from running."""

    pipelines: tuple[ResolvedPipeline, ...]
    outcome: LintResult


def resolve(
    paths: Iterable[Path], platform: Path | None, environment: str | None, here: Path, today: date
) -> Resolution:
    """The pipelines in these files, or all of the repository around the current folder.

    Raises CannotGoOn if a named file is of another kind, or if there are only such files.
    """
    named = tuple(paths)
    resolved, outcome = specs(named, platform, environment, here, today)
    pipelines = [one for one in resolved if isinstance(one.spec, Pipeline)]
    others = [one for one in resolved if not isinstance(one.spec, Pipeline) and (one.file in named or not pipelines)]
    return Resolution(tuple(ResolvedPipeline.of(one) for one in others + pipelines), outcome)


def specs(  # noqa: PLR0913 - the options of a command, and the day
    paths: Iterable[Path],
    platform: Path | None,
    environment: str | None,
    here: Path,
    today: date,
    *,
    usual: str = "",
) -> tuple[tuple[Resolved[Any], ...], LintResult]:
    """The specs in these files, or all of the repository, of any kind; none if one has errors.

    `usual` is the default environment if there are several.
    """
    repository = open_repository(paths, platform, here)
    inputs = read_inputs(repository)
    read = check.check_platform(lint.load(inputs.platform))
    known = lint.choose_environments(read, (environment,) if environment else ())
    chosen = usual if not environment and usual in known else choose(environment, known)
    outcome = lint.lint(inputs, (chosen,) if chosen else (), today).outcome
    if outcome.count(Severity.ERROR) or read.model is None:
        return (), outcome
    around = read.model.environments[chosen]
    resolved: list[Resolved[Any]] = []
    for file in inputs.specs:
        document = lint.load(file)
        model, _ = check.resolve(kinds()[document.data["kind"]], document, read, chosen)
        resolved.append(Resolved(model, chosen, around, file.path, templates=inputs.templates))
    return tuple(resolved), outcome


def from_generated(path: Path, environment: str | None) -> ResolvedPipeline:
    """The pipeline in a generated file, as pods read it."""
    return ResolvedPipeline.of(generated(path, environment), path)


def generated(path: Path, environment: str | None) -> Resolved[Any]:
    """The spec, of any kind, in a generated file."""
    content = read_bytes(path, path.name, most=None)  # indentation makes a schema larger than its source file
    if not isinstance(content, bytes):
        raise CannotGoOn(f"cannot use the worker file `{path}`: {content.says}", content.hint)
    read = worker_file.read(content, path.name)
    if environment and environment != read.environment:
        says = f"`{path}` was generated for `{read.environment}`, not for `{environment}`"
        hint = f"name the file in `generated/{environment}/`, or set neither `--env` nor `PENSTOCK_ENV`"
        raise CannotGoOn(says, hint)
    return Resolved(read.spec, read.environment, read.around, path, read.schema)


def choose(name: str | None, known: tuple[str, ...]) -> str:
    """The named environment, or the only one."""
    if name or len(known) <= 1:
        return known[0] if known else ""
    names = ", ".join(f"`{one}`" for one in known)
    raise CannotGoOn(
        f"the platform file has several environments: {names}", "choose one with `--env`, or set `PENSTOCK_ENV`"
    )
