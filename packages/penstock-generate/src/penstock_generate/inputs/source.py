"""A repository as the generator reads it: specs, platform file and templates."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

from penstock_generate.own_templates import BUILT_IN, FOLDER, TOOLS, contents, own_templates
from penstock_generate.rendering.artifact import REPOSITORY_FOLDERS
from penstock_generate.rendering.templates import Templates
from penstock_spec.fields import nearest
from penstock_spec.files import digest
from penstock_spec.findings import CannotGoOn, LintResult, Severity
from penstock_spec.linting import cache, check, lint
from penstock_spec.platform import Platform
from penstock_spec.repository import Inputs, Repository, read_inputs


@dataclass(frozen=True, slots=True)
class Selection:
    """The selected environments and specs; empty means all."""

    environments: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def covers(self, folder: str) -> bool:
        """Whether it includes a folder of `generated/`. The repository's own folders belong to the full selection."""
        environment, inside, name = folder.partition("/")
        if not inside:
            return not self.environments and not self.names
        return (not self.environments or environment in self.environments) and (not self.names or name in self.names)


@dataclass(frozen=True, slots=True)
class Source:
    """A repository that was read, with the selection; its specs are linted before or during the run."""

    repository: Repository
    inputs: Inputs
    platform: check.PlatformFile
    model: Platform
    environments: tuple[str, ...]
    chosen: Selection
    templates: Templates
    version: str
    today: date
    fingerprint: str
    """Of everything that all files depend on: the tools, the templates, the platform file."""

    @property
    def root(self) -> Path:
        """The folder of the repository."""
        return self.repository.root


@dataclass(frozen=True, slots=True)
class InvalidSpecs:
    """The findings of a repository with errors."""

    outcome: LintResult


def read_source(repository: Repository, chosen: Selection, today: date) -> Source | InvalidSpecs:
    """Read and lint the repository."""
    source = read_unchecked(repository, chosen, today)
    return source if isinstance(source, InvalidSpecs) else linted(source)[0]


def linted(source: Source, on_valid: lint.OnValid | None = None) -> tuple[Source | InvalidSpecs, Mapping[str, Any]]:
    """Lint the specs. The callback gets each valid one that the cache does not know; its results are by file."""
    environments = source.chosen.environments
    outcome, results = cache.run(source.repository, environments, source.today, source.inputs, on_valid)
    return (InvalidSpecs(outcome) if outcome.count(Severity.ERROR) else source), results


def read_unchecked(repository: Repository, chosen: Selection, today: date) -> Source | InvalidSpecs:
    """Read the repository without linting its specs; only an invalid platform file is refused."""
    inputs = read_inputs(repository, own_templates(repository.root))
    platform = check.check_platform(lint.load(inputs.platform))
    environments = lint.choose_environments(platform, chosen.environments)
    if platform.model is None:
        return InvalidSpecs(cache.lint(repository, chosen.environments, today, inputs))
    for name in REPOSITORY_FOLDERS:
        if name in platform.model.environments:
            message = f"an environment cannot be named `{name}`: `generated/{name}/` belongs to all environments"
            raise CannotGoOn(message, "rename it")
    overrides = repository.root / FOLDER
    return Source(
        repository=repository,
        inputs=inputs,
        platform=platform,
        model=platform.model,
        environments=environments,
        chosen=chosen,
        templates=Templates(overrides),
        version=version(TOOLS[0]),
        today=today,
        fingerprint=_fingerprint(inputs, overrides),
    )


def _fingerprint(inputs: Inputs, overrides: Path) -> str:
    raw = inputs.platform.raw
    platform = digest(raw) or "" if isinstance(raw, bytes) else ""
    return cache.fingerprint((Path(__file__).parents[1],), TOOLS, platform, *contents(overrides, BUILT_IN))


def refuse_unknown(chosen: Selection, names: AbstractSet[str]) -> None:
    """Refuse a selection with a name that no spec has."""
    for name in chosen.names:
        if name not in names:
            close = nearest(name, sorted(names))
            known = ", ".join(f"`{one}`" for one in sorted(names))
            hint = f"did you mean `{close}`?" if close else f"there are {known}"
            raise CannotGoOn(f"no spec is named `{name}`", hint)
