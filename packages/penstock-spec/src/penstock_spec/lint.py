"""A whole repository, from files to findings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from penstock_spec.check import Beside, Checked, PlatformFile, Waiver, check_platform, check_spec, finding, run
from penstock_spec.fields import nearest
from penstock_spec.findings import CannotGoOn, Finding, Severity
from penstock_spec.reading import Document, Found, read
from penstock_spec.repository import Repository, read_bytes
from penstock_spec.subject import Fleet


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run found, and over how much."""

    findings: tuple[Finding, ...]
    specs: int
    lines: dict[str, tuple[str, ...]]
    """The lines of every file that a finding points into."""

    def count(self, severity: Severity) -> int:
        """How many of a severity."""
        return sum(one.severity is severity for one in self.findings)


def load(path: Path, name: str) -> Document:
    """Read a file into a document; what stands in the way is in the document."""
    raw = read_bytes(path, name)
    if isinstance(raw, Found):
        return Document(name, (), found=(raw,))
    return read(name, raw)


def load_platform(repository: Repository) -> PlatformFile:
    """The platform file of a repository."""
    return check_platform(load(repository.platform, repository.name(repository.platform)))


def choose(platform: PlatformFile, asked: tuple[str, ...]) -> tuple[str, ...]:
    """The environments to check: those asked for, or all."""
    known = tuple(platform.model.environments) if platform.model else ()
    for one in asked if platform.model else ():
        if one not in known:
            close = nearest(one, known)
            hint = f"did you mean `{close}`?" if close else "it has " + ", ".join(f"`{name}`" for name in known)
            raise CannotGoOn(f"the platform file has no environment `{one}`", hint)
    return tuple(one for one in known if not asked or one in asked)


def lint(repository: Repository, asked: tuple[str, ...], today: date) -> Outcome:
    """Check everything: each file, each spec in each environment, and the specs of an environment together."""
    platform = load_platform(repository)
    environments = choose(platform, asked)
    files: dict[str, Checked] = {platform.document.file: platform.checked}
    lines = {platform.document.file: platform.document.lines}
    for path in repository.specs:
        document = load(path, repository.name(path))
        lines[document.file] = document.lines
        files[document.file] = check_spec(document, platform, environments, _beside(path))
    for environment, found in across(platform, environments, files.values()):
        files[found.at.file].found.append((environment, found))
    findings = settle(files, environments, today, whole=repository.whole and not asked)
    return Outcome(tuple(findings), len(repository.specs), lines)


def across(platform: PlatformFile, environments: tuple[str, ...], files: Iterable[Checked]) -> list[tuple[str, Found]]:
    """Findings of the rules over environments and over all specs of each."""
    members = [shown for checked in files for shown in checked.shown]
    found = []
    for subject in platform.subjects(environments):
        name = subject.environment
        fleet = Fleet(name, subject, tuple(one for one in members if one.environment == name))
        found += [(name, one) for one in run("platform", subject)]
        found += [(name, one) for one in run("fleet", fleet)]
    return found


def settle(files: dict[str, Checked], environments: tuple[str, ...], today: date, *, whole: bool) -> list[Finding]:
    """Merge what environments share, take out what is suppressed, and say which suppressions are void."""
    findings = []
    for checked in files.values():
        merged: dict[Found, set[str]] = {}
        for environment, found in checked.found:
            merged.setdefault(found, set()).add(environment)
        used: set[Waiver] = set()
        for found, where in merged.items():
            waiver = next((one for one in checked.waivers if _waives(one, found, today)), None)
            if waiver:
                used.add(waiver)
                continue
            inside = tuple(name for name in environments if name in where)
            findings.append(finding(found, () if len(inside) == len(environments) else inside))
        findings += [finding(found, ()) for found in _void(checked.waivers, used, today, whole=whole)]
    return sorted(findings, key=lambda one: one.order)


def _waives(waiver: Waiver, found: Found, today: date) -> bool:
    inside = not waiver.path or found.path == waiver.path or found.path.startswith(f"{waiver.path}.")
    return waiver.rule == found.rule and inside and today <= waiver.until


def _void(waivers: list[Waiver], used: set[Waiver], today: date, *, whole: bool) -> Iterable[Found]:
    for waiver in waivers:
        if waiver.until < today:
            says = f"it counted until {waiver.until}"
            yield Found(
                "suppression-expired", waiver.at, says, "put right what it hides, or look again and move `until`"
            )
        elif waiver not in used and whole:
            says = f"`{waiver.rule}` finds nothing here"
            yield Found("suppression-unused", waiver.at, says, "take it out")


def _beside(spec: Path) -> Beside:
    def reading(relative: str) -> bytes | None:
        raw = read_bytes(spec.parent / relative, relative)
        return raw if isinstance(raw, bytes) else None

    return reading
