"""Lint a whole repository."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, TypeVar

from penstock_spec.catalogue import catalogue
from penstock_spec.context import Fleet
from penstock_spec.fields import nearest
from penstock_spec.files import File, digest
from penstock_spec.findings import Finding, LintResult, NoSuchEnvironment, Severity
from penstock_spec.linting.acknowledgements import expired
from penstock_spec.linting.check import Beside, PlatformFile, Resolved, check_and_resolve, check_platform, finding, run
from penstock_spec.linting.checked import CheckedFile
from penstock_spec.linting.suppressions import SuppressionAt, ineffective, suppresses
from penstock_spec.manifest_templates import ManifestTemplates
from penstock_spec.reading import Document, Problem, read
from penstock_spec.repository import Inputs

ResultT = TypeVar("ResultT")

MIN_PARALLEL = 32
"""With fewer files, checking in parallel costs more than it saves."""


OnValid = Callable[[File, Resolved], object]
"""Called with each spec without errors of its own, perhaps in a fork."""


@dataclass(frozen=True, slots=True)
class LintRun:
    """The result of the run, the result of each file for a later run, and the results of the callback by file."""

    outcome: LintResult
    specs: dict[str, CheckedFile]
    results: dict[str, Any]


def load(file: File) -> Document:
    """Read a file as a document; its problems are in the document."""
    if isinstance(file.raw, Problem):
        return Document(file.name, (), problems=(file.raw,))
    return read(file.name, file.raw)


def choose_environments(platform: PlatformFile, selected: tuple[str, ...]) -> tuple[str, ...]:
    """The environments to check: the selected ones, or all."""
    known = tuple(platform.model.environments) if platform.model else ()
    for one in selected if platform.model else ():
        if one not in known:
            close = nearest(one, known) or next((name for name in known if name.startswith(one)), None)
            hint = f"did you mean `{close}`?" if close else "it has " + ", ".join(f"`{name}`" for name in known)
            raise NoSuchEnvironment(f"the platform file has no environment `{one}`", hint)
    return tuple(one for one in known if not selected or one in selected)


def lint(
    inputs: Inputs,
    selected: tuple[str, ...],
    today: date,
    known: Mapping[str, CheckedFile] | None = None,
    on_valid: OnValid | None = None,
) -> LintRun:
    """Check each file, each spec in each environment, and the specs of an environment together.

    `known` has results of an earlier run over the same bytes; these specs are neither read again nor passed to
    `on_valid`.
    """
    platform = check_platform(load(inputs.platform))
    environments = choose_environments(platform, selected)
    earlier = known or {}
    new = [file for file in inputs.specs if file.name not in earlier]
    newly_checked, results = {}, {}
    check = partial(_check, platform, environments, inputs.templates, on_valid)
    for file, (checked, result) in zip(new, _all(new, check), strict=True):
        newly_checked[file.name] = checked
        if result is not None:
            results[file.name] = result
    specs = {file.name: earlier.get(file.name) or newly_checked[file.name] for file in inputs.specs}
    files = {inputs.platform.name: platform.checked.copy(), **{name: checked.copy() for name, checked in specs.items()}}
    for environment, found in check_across_specs(platform, environments, files.values(), complete=inputs.complete):
        files[found.at.file].problems.append((environment, found))
    findings = merge_findings(files, environments, today, complete=inputs.complete and not selected)
    lines = lines_of(inputs, findings)
    return LintRun(LintResult(tuple(findings), len(inputs.specs), lines, tuple(files)), specs, results)


def lines_of(inputs: Inputs, findings: Iterable[Finding]) -> dict[str, tuple[str, ...]]:
    """The lines of the files with findings."""
    wanted = {one.at.file for one in findings}
    return {file.name: file.lines() for file in (inputs.platform, *inputs.specs) if file.name in wanted}


def _all(files: list[File], work: Callable[[File], ResultT]) -> Iterable[ResultT]:
    """Map over the files, in forks if there are many; only then `forks` is imported."""
    if len(files) < MIN_PARALLEL:
        return map(work, files)
    from penstock_spec.forks import map_in_forks  # noqa: PLC0415 - as above

    return map_in_forks(work, files)


def _check(
    platform: PlatformFile,
    environments: tuple[str, ...],
    templates: ManifestTemplates | None,
    on_valid: OnValid | None,
    file: File,
) -> tuple[CheckedFile, object]:
    digests: dict[str, str | None] = {}
    checked, resolved = check_and_resolve(load(file), platform, environments, _beside(file, digests), templates)
    checked.beside = digests
    valid = not any(catalogue()[one.rule].severity is Severity.ERROR for _, one in checked.problems)
    return checked, on_valid(file, resolved) if on_valid and resolved and valid else None


def _beside(file: File, digests: dict[str, str | None]) -> Beside:
    """A function that reads files beside a spec, and records their digests in `digests`."""

    def read_beside(relative: str) -> bytes | None:
        raw = file.beside(relative)
        digests[relative] = digest(raw)
        return raw

    return read_beside


def check_across_specs(
    platform: PlatformFile, environments: tuple[str, ...], files: Iterable[CheckedFile], *, complete: bool
) -> list[tuple[str, Problem]]:
    """Run the rules about environments, and about all specs of each environment."""
    members = [facts for checked in files for facts in checked.facts]
    found = []
    for subject in platform.subjects(environments):
        name = subject.environment
        fleet = Fleet(name, subject, tuple(one for one in members if one.environment == name), complete)
        found += [(name, one) for one in run("platform", subject)]
        found += [(name, one) for one in run("fleet", fleet)]
    return found


def merge_findings(
    files: Mapping[str, CheckedFile], environments: tuple[str, ...], today: date, *, complete: bool
) -> list[Finding]:
    """Merge findings of several environments, drop suppressed ones, and report ineffective suppressions."""
    findings = []
    for checked in files.values():
        merged: dict[Problem, set[str]] = {}
        for environment, found in checked.problems:
            merged.setdefault(found, set()).add(environment)
        used: set[SuppressionAt] = set()
        for found, where in merged.items():
            suppression = next((one for one in checked.suppressions if suppresses(one, found, today)), None)
            if suppression:
                used.add(suppression)
                continue
            inside = tuple(name for name in environments if name in where)
            findings.append(finding(found, () if len(inside) == len(environments) else inside))
        findings += [finding(found, ()) for found in ineffective(checked.suppressions, used, today, complete=complete)]
        findings += [finding(found, ()) for found in expired(checked.acknowledgements, today)]
    return sorted(findings, key=lambda one: one.order)
