"""Specs as they are in an environment, with all that the runtime takes from files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from penstock.keys import PipelineKeys
from penstock_spec import worker_file
from penstock_spec.files import read_bytes
from penstock_spec.findings import CannotGoOn, LintResult, Severity
from penstock_spec.kinds import kinds
from penstock_spec.kinds.pipeline.message.schema_of import schema_of
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.linting import check, lint
from penstock_spec.platform import Environment, Redis
from penstock_spec.repository import open_repository, read_inputs


@dataclass(frozen=True, slots=True)
class Resolved:
    """One pipeline in one environment."""

    spec: Pipeline
    environment: str
    around: Environment
    folder: Path
    """Where the spec lies; files that it names are found from here."""
    schema: dict[str, Any] | None = None
    """The JSON Schema of its messages, where it came with the spec."""
    generated: Resolved | None = None
    """The same on its own Redis, where it runs on another."""
    path: Path | None = None
    """The spec's file, where it was read from one."""

    @property
    def name(self) -> str:
        """The pipeline's name."""
        return self.spec.name

    @property
    def keys(self) -> PipelineKeys:
        """Where it stands in Redis."""
        return PipelineKeys.of(self.spec)

    @property
    def redis(self) -> Redis:
        """Where its Redis is."""
        return self.around.redis

    def on(self, redis: Redis) -> Resolved:
        """The same pipeline on another Redis."""
        around = self.around.model_copy(update={"redis": redis})
        return replace(self, around=around, generated=self.generated or self)

    def whole(self) -> Resolved:
        """With the schema of its messages at hand, for whoever asks for it more than once."""
        return replace(self, schema=self.of_messages())

    def of_messages(self) -> dict[str, Any]:
        """The JSON Schema of its messages. Raises CannotGoOn where a file that the spec names has none."""
        return schema_of(self.spec, self.folder) if self.schema is None else self.schema

    @property
    def digest(self) -> str:
        """Of all that a process looks at, as in `worker.json`: what runs can be held against what is generated."""
        around = (self.generated or self).around
        return worker_file.write(self.environment, self.spec, around, self.of_messages())[1]


@dataclass(frozen=True, slots=True)
class Resolution:
    """What specs came to; `outcome` has errors where there is nothing to run."""

    pipelines: tuple[Resolved, ...]
    outcome: LintResult


def resolve(
    paths: Iterable[Path], platform: Path | None, environment: str | None, here: Path, today: date
) -> Resolution:
    """The pipelines in these files, or all of the repository around the current folder.

    Raises CannotGoOn where a file that is named is of another kind, or where there are only such.
    """
    named = tuple(paths)
    found, outcome = specs(named, platform, environment, here, today)
    pipelines = tuple(
        Resolved(one.model, one.environment, one.around, one.file.parent, path=one.file)
        for one in found
        if isinstance(one.model, Pipeline)
    )
    for one in found:
        if not isinstance(one.model, Pipeline) and (one.file in named or not pipelines):
            raise _another(one.model.name, one.model.kind)
    return Resolution(pipelines, outcome)


@dataclass(frozen=True, slots=True)
class Spec:
    """One spec, of any kind, in one environment."""

    model: Any
    """The model of its kind."""
    environment: str
    around: Environment
    file: Path

    @property
    def spec(self) -> Any:  # noqa: ANN401 - the model of its kind
        """The same, in the words of what stands in an environment."""
        return self.model


def specs(  # noqa: PLR0913 - what a command was told, and when
    paths: Iterable[Path],
    platform: Path | None,
    environment: str | None,
    here: Path,
    today: date,
    *,
    usual: str = "",
) -> tuple[tuple[Spec, ...], LintResult]:
    """The specs in these files, or all of the repository, whatever their kind; none where one has errors.

    `usual` is the environment that is meant where there are several and none was named.
    """
    repository = open_repository(paths, platform, here)
    inputs = read_inputs(repository)
    read = check.check_platform(lint.load(inputs.platform))
    known = lint.choose(read, (environment,) if environment else ())
    chosen = usual if not environment and usual in known else choose(environment, known)
    outcome = lint.lint(inputs, (chosen,) if chosen else (), today).outcome
    if outcome.count(Severity.ERROR) or read.model is None:
        return (), outcome
    around = read.model.environments[chosen]
    found = []
    for file in inputs.specs:
        document = lint.load(file)
        model, _ = check.resolve(kinds()[document.data["kind"]], document, read, chosen)
        found.append(Spec(model, chosen, around, file.path))
    return tuple(found), outcome


def from_generated(path: Path, environment: str | None) -> Resolved:
    """The pipeline in a file that the generator wrote, as pods read it."""
    told = generated(path, environment)
    if not isinstance(told.spec, Pipeline):
        raise _another(told.spec.name, told.spec.kind, path)
    return Resolved(told.spec, told.environment, told.around, path.parent, told.schema)


def generated(path: Path, environment: str | None) -> worker_file.WorkerFile:
    """A spec, of any kind, in a file that the generator wrote."""
    raw = read_bytes(path, path.name, most=None)  # laid out, a schema is larger than as somebody wrote it
    if not isinstance(raw, bytes):
        raise CannotGoOn(f"`{path}` cannot be had: {raw.says}", raw.hint)
    told = worker_file.read(raw, path.name)
    if environment and environment != told.environment:
        says = f"`{path}` was generated for `{told.environment}`, and `{environment}` is asked for"
        raise CannotGoOn(says, f"name the file in `generated/{environment}/`, or leave `--env` out")
    return told


def _another(name: str, kind: str, path: Path | None = None) -> CannotGoOn:
    """A spec of another kind than pipelines."""
    says = f"`{path or name}` is a {kind}, and a pipeline is asked for"
    return CannotGoOn(says, f"run it with `{kinds()[kind].run} {path or name}`")


def choose(asked: str | None, known: tuple[str, ...]) -> str:
    """The environment that was asked for, or the only one."""
    if asked or len(known) <= 1:
        return known[0] if known else ""
    told = ", ".join(f"`{name}`" for name in known)
    raise CannotGoOn(f"the platform file has several environments: {told}", "choose one with `--env`")
