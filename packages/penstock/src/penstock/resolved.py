"""Specs as they are in an environment, with all that the runtime takes from files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from penstock.keys import Keys
from penstock_spec.findings import CannotGoOn, Outcome, Severity
from penstock_spec.kinds import kinds
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

    @property
    def name(self) -> str:
        """The pipeline's name."""
        return self.spec.name

    @property
    def keys(self) -> Keys:
        """Where it stands in Redis."""
        return Keys.of(self.spec)

    @property
    def redis(self) -> Redis:
        """Where its Redis is."""
        return self.around.redis

    @property
    def keeps_nothing(self) -> bool:
        """Whether the stream keeps nothing that is done."""
        return self.spec.stream.retention.keep == "until-done"

    def on(self, redis: Redis) -> Resolved:
        """The same pipeline on another Redis."""
        around = self.around.model_copy(update={"redis": redis})
        return Resolved(self.spec, self.environment, around, self.folder)


@dataclass(frozen=True, slots=True)
class Resolution:
    """What specs came to; `outcome` has errors where there is nothing to run."""

    pipelines: tuple[Resolved, ...]
    outcome: Outcome


def resolve(
    paths: Iterable[Path], platform: Path | None, environment: str | None, here: Path, today: date
) -> Resolution:
    """The pipelines in these files, or all of the repository around the current folder."""
    repository = open_repository(paths, platform, here)
    inputs = read_inputs(repository)
    read = check.check_platform(lint.load(inputs.platform))
    chosen = choose(environment, lint.choose(read, (environment,) if environment else ()))
    outcome = lint.lint(inputs, (chosen,) if chosen else (), today).outcome
    if outcome.count(Severity.ERROR) or read.model is None:
        return Resolution((), outcome)
    around = read.model.environments[chosen]
    found = []
    for file in inputs.specs:
        document = lint.load(file)
        kind = kinds()[document.data["kind"]]
        if kind.model is Pipeline:
            model, _ = check.resolve(kind, document, read, chosen)
            found.append(Resolved(model, chosen, around, file.path.parent))
    return Resolution(tuple(found), outcome)


def choose(asked: str | None, known: tuple[str, ...]) -> str:
    """The environment that was asked for, or the only one."""
    if asked or len(known) <= 1:
        return known[0] if known else ""
    told = ", ".join(f"`{name}`" for name in known)
    raise CannotGoOn(f"the platform file has several environments: {told}", "choose one with `--env`")
