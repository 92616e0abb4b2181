"""A repository as the generator reads it: specs, platform file and templates."""

from __future__ import annotations

import os
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path

from penstock_generate.rendering.artifact import REPOSITORY_FOLDERS
from penstock_generate.rendering.templates import BUILT_IN, Templates
from penstock_spec.fields import nearest
from penstock_spec.files import digest
from penstock_spec.findings import CannotGoOn, LintResult, Severity
from penstock_spec.linting import cache, check, lint
from penstock_spec.platform import Platform
from penstock_spec.repository import Inputs, Repository, read_inputs

TEMPLATES = "templates"
TOOLS = ("penstock-generate", "Jinja2")
"""Packages whose version changes the generated files."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The environments and specs that were asked for; empty means all."""

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
    return (isinstance(source, Source) and lint_errors(source)) or source


def lint_errors(source: Source, also: lint.SpecCallback | None = None) -> InvalidSpecs | None:
    """Lint the specs, and hand each valid one to `also`; None if there are no errors."""
    outcome = cache.lint(source.repository, source.chosen.environments, source.today, source.inputs, also)
    return InvalidSpecs(outcome) if outcome.count(Severity.ERROR) else None


def read_unchecked(repository: Repository, chosen: Selection, today: date) -> Source | InvalidSpecs:
    """Read the repository without linting its specs; only an invalid platform file is refused."""
    inputs = read_inputs(repository)
    platform = check.check_platform(lint.load(inputs.platform))
    environments = lint.choose(platform, chosen.environments)
    if platform.model is None:
        return InvalidSpecs(cache.lint(repository, chosen.environments, today, inputs))
    for name in REPOSITORY_FOLDERS:
        if name in platform.model.environments:
            says = f"an environment cannot be named `{name}`: `generated/{name}/` belongs to all environments"
            raise CannotGoOn(says, "rename it")
    overrides = repository.root / TEMPLATES
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
    parts = [digest(raw) or "" if isinstance(raw, bytes) else ""]
    for folder in (overrides, BUILT_IN):
        for path in sorted(found for found in folder.rglob("*") if found.is_file()):
            parts += [os.fspath(path.relative_to(folder)), digest(path.read_bytes()) or ""]
    return cache.fingerprint((Path(__file__).parents[1],), TOOLS, *parts)


def refuse_unknown(chosen: Selection, names: AbstractSet[str]) -> None:
    """Refuse a selection with a name that no spec has."""
    for name in chosen.names:
        if name not in names:
            close = nearest(name, sorted(names))
            known = ", ".join(f"`{one}`" for one in sorted(names))
            hint = f"did you mean `{close}`?" if close else f"there are {known}"
            raise CannotGoOn(f"no spec is named `{name}`", hint)
