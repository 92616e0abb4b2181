"""What a repository is generated from, read once."""

from __future__ import annotations

import os
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path

from penstock_generate.artifact import OF_ALL
from penstock_generate.rendering import OURS, Templates
from penstock_spec.fields import nearest
from penstock_spec.files import digest
from penstock_spec.findings import CannotGoOn, LintResult, Severity
from penstock_spec.linting import cache, check, lint
from penstock_spec.platform import Platform
from penstock_spec.repository import Inputs, Repository, read_inputs

TEMPLATES = "templates"
TOOLS = ("penstock-generate", "Jinja2")
"""Whose version stands in what they make."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What of a repository is asked for; an empty choice is all."""

    environments: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def covers(self, folder: str) -> bool:
        """Whether a folder of `generated/` belongs to it. What belongs to all is left alone when some are asked for."""
        environment, inside, name = folder.partition("/")
        if not inside:
            return not self.environments and not self.names
        return (not self.environments or environment in self.environments) and (not self.names or name in self.names)


@dataclass(frozen=True, slots=True)
class Source:
    """Files, which have been checked or are about to be, and what was asked for."""

    repository: Repository
    inputs: Inputs
    platform: check.PlatformFile
    model: Platform
    environments: tuple[str, ...]
    chosen: Chosen
    templates: Templates
    version: str
    today: date
    fingerprint: str
    """Of all that every file hangs on: the tool, its templates, the platform file."""

    @property
    def root(self) -> Path:
        """Of the repository."""
        return self.repository.root


@dataclass(frozen=True, slots=True)
class Refused:
    """What files with errors come to."""

    outcome: LintResult


def read(repository: Repository, chosen: Chosen, today: date) -> Source | Refused:
    """The repository, checked."""
    source = unchecked(repository, chosen, today)
    return (isinstance(source, Source) and refused(source)) or source


def refused(source: Source, also: lint.SpecCallback | None = None) -> Refused | None:
    """Check its specs, and do something else with each that is well: nothing is refused where all are."""
    outcome = cache.lint(source.repository, source.chosen.environments, source.today, source.inputs, also)
    return Refused(outcome) if outcome.count(Severity.ERROR) else None


def unchecked(repository: Repository, chosen: Chosen, today: date) -> Source | Refused:
    """The repository as it lies there; nothing is known of its specs, and refused is only a broken platform file."""
    inputs = read_inputs(repository)
    platform = check.check_platform(lint.load(inputs.platform))
    environments = lint.choose(platform, chosen.environments)
    if platform.model is None:
        return Refused(cache.lint(repository, chosen.environments, today, inputs))
    for name in OF_ALL:
        if name in platform.model.environments:
            raise CannotGoOn(f"an environment cannot be named `{name}`: `generated/{name}/` is for all", "rename it")
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
    told = [digest(raw) or "" if isinstance(raw, bytes) else ""]
    for folder in (overrides, OURS):
        for path in sorted(found for found in folder.rglob("*") if found.is_file()):
            told += [os.fspath(path.relative_to(folder)), digest(path.read_bytes()) or ""]
    return cache.fingerprint((Path(__file__).parent,), TOOLS, *told)


def refuse_unknown(chosen: Chosen, names: AbstractSet[str]) -> None:
    """A name that no spec has."""
    for name in chosen.names:
        if name not in names:
            close = nearest(name, sorted(names))
            known = ", ".join(f"`{one}`" for one in sorted(names))
            hint = f"did you mean `{close}`?" if close else f"there are {known}"
            raise CannotGoOn(f"there is no spec named `{name}`", hint)
