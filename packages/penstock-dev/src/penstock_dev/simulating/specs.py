"""Resolved specs, as rules see them: from files, from a git revision, or with another value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from penstock_spec.context import SpecContext
from penstock_spec.files import File
from penstock_spec.findings import CannotGoOn, Finding, LintResult, Severity
from penstock_spec.kinds import kinds
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.layers import copied, set_value
from penstock_spec.linting import check, lint
from penstock_spec.linting.check import PlatformFile
from penstock_spec.manifest_templates import ManifestTemplates
from penstock_spec.reading import Document, Path
from penstock_spec.repository import Inputs


@dataclass(frozen=True, slots=True)
class ValidSpecs:
    """Specs without errors."""

    inputs: Inputs
    platform: PlatformFile
    environments: tuple[str, ...]

    def subject(self, file: File, environment: str) -> SpecContext[Pipeline] | None:
        """The pipeline of a file in an environment; None if it is of another kind."""
        document = lint.load(file)
        if kinds()[document.data["kind"]].model is not Pipeline:
            return None
        return resolved(document, self.platform, environment, file.beside, self.inputs.templates)

    def one(self) -> SpecContext[Pipeline]:
        """The pipeline of the only file in the only environment."""
        subject = self.subject(self.inputs.specs[0], self.environments[0])
        if subject is None:
            raise CannotGoOn(f"`{self.inputs.specs[0].name}` is not a pipeline", "name the spec of a pipeline")
        return subject


@dataclass(frozen=True, slots=True)
class InvalidSpecs:
    """Specs with errors."""

    outcome: LintResult


def read(inputs: Inputs, requested: tuple[str, ...], today: date) -> ValidSpecs | InvalidSpecs:
    """Lint the specs in the requested environments, or in all."""
    platform = check.check_platform(lint.load(inputs.platform))
    environments = lint.choose_environments(platform, requested)
    outcome = lint.lint(inputs, environments, today).outcome
    if outcome.count(Severity.ERROR) or platform.model is None:
        return InvalidSpecs(outcome)
    return ValidSpecs(inputs, platform, environments)


def resolved(
    document: Document,
    platform: PlatformFile,
    environment: str,
    beside: check.Beside,
    templates: ManifestTemplates | None,
) -> SpecContext[Pipeline]:
    """A valid pipeline in an environment."""
    kind = kinds()[document.data["kind"]]
    model, layers = check.resolve(kind, document, platform, environment)
    assert isinstance(model, Pipeline)  # noqa: S101 - checked by the caller
    assert platform.model is not None  # noqa: S101 - as above
    around = platform.model.environments[environment]
    return SpecContext(model, environment, around, platform.document, layers, beside, templates)


def with_value(specs: ValidSpecs, path: Path, value: object) -> SpecContext[Pipeline] | tuple[Finding, ...]:
    """The only pipeline with another value at a path, or the new errors."""
    file, environment = specs.inputs.specs[0], specs.environments[0]
    before = lint.load(file)
    document = _with(before, environment, path, value)
    known = {(one.rule, one.path) for one in _errors(before, specs, environment)}
    new = tuple(one for one in _errors(document, specs, environment) if (one.rule, one.path) not in known)
    return new or resolved(document, specs.platform, environment, file.beside, specs.inputs.templates)


def _with(document: Document, environment: str, path: Path, value: object) -> Document:
    """Set the value in the environment's overrides too, as they win."""
    data = copied(document.data)
    own = (data.get("environments") or {}).get(environment) or {}
    for key in own:
        at = tuple(key.split("."))
        if at == path:
            own[key] = value
        elif path[: len(at)] == at and isinstance(own[key], dict):
            set_value(own[key], path[len(at) :], value)
    set_value(data, path, value)
    return replace(document, data=data)


def _errors(document: Document, specs: ValidSpecs, environment: str) -> list[Finding]:
    """All errors, suppressed ones included: they exist before and after."""
    beside = specs.inputs.specs[0].beside
    checked = check.check_spec(document, specs.platform, (environment,), beside, specs.inputs.templates)
    findings = [check.finding(one, ()) for _, one in checked.problems]
    return [one for one in findings if one.severity is Severity.ERROR]
