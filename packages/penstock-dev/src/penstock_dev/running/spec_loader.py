"""The specs that run: read at the start, and again whenever a file changes; what is invalid then stays as it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from penstock.resolved import Resolved as Pipeline
from penstock.resolved import Spec, specs
from penstock.scheduler.resolved import Resolved as Scheduler
from penstock_dev.running.pipeline import PipelineWorkload
from penstock_dev.running.scheduler import SchedulerWorkload, sends_to
from penstock_dev.running.workload import Workload
from penstock_spec.findings import CannotGoOn, Finding, LintResult, Severity
from penstock_spec.repository import open_repository

USUAL = "dev"
"""The environment that is meant where nobody names one of several."""


@dataclass(frozen=True, slots=True)
class SpecSelection:
    """What the command was told."""

    specs: tuple[Path, ...]
    platform: Path | None
    environment: str | None
    here: Path
    today: Callable[[], date]


@dataclass(frozen=True, slots=True)
class LoadedSpecs:
    """The last that could be read, and what is wrong with what stands there now."""

    workloads: tuple[Workload, ...]
    troubles: dict[str, str]
    """By the name of the spec; with an empty one, what is wrong with all."""
    outcome: LintResult


class SpecLoader:
    """Those that were asked for, or all of the repository."""

    def __init__(self, asked: SpecSelection) -> None:
        """Nothing is read yet."""
        self._asked = asked
        self._at: dict[Path, Workload] = {}

    def read(self) -> LoadedSpecs:
        """As they are now; each that is not valid as it was. Raises CannotGoOn where it never was anything."""
        asked = self._asked
        try:
            paths = open_repository(asked.specs, asked.platform, asked.here).specs
            found, outcome = self._specs(asked.specs)
        except CannotGoOn as error:
            if not self._at:
                raise
            return self._kept({"": f"{error.says}; {error.hint}" if error.hint else error.says})
        if not outcome.count(Severity.ERROR):
            self._at = self._by_path(found)
            return LoadedSpecs(tuple(self._at.values()), {}, outcome)
        if not self._at:
            errors = [one for one in outcome.findings if one.severity is Severity.ERROR]
            return LoadedSpecs((), {"": f"{_first_of(errors)}; nothing runs"}, outcome)
        return self._as_far_as_valid(paths, outcome)

    def _as_far_as_valid(self, paths: Sequence[Path], outcome: LintResult) -> LoadedSpecs:
        """Each by itself: one that is invalid holds up no other."""
        troubles = dict[str, str]()
        for path in paths:
            try:
                found, instance_lock = self._specs((path,))
            except CannotGoOn as error:
                return self._kept({"": error.says})
            errors = [one for one in instance_lock.findings if one.severity is Severity.ERROR]
            if not errors:
                self._at |= self._by_path(found)
                continue
            name = self._at[path].name if path in self._at else ""
            troubles.setdefault(name, _in_words(errors))
        if not troubles:  # each is right, and together they are not
            troubles[""] = _in_words([one for one in outcome.findings if one.severity is Severity.ERROR])
        self._at = {path: one for path, one in self._at.items() if path in paths}
        return self._kept(troubles, outcome)

    def _specs(self, paths: tuple[Path, ...]) -> tuple[tuple[Spec, ...], LintResult]:
        asked = self._asked
        return specs(paths, asked.platform, asked.environment, asked.here, asked.today(), usual=USUAL)

    def _by_path(self, found: Sequence[Spec]) -> dict[Path, Workload]:
        """Each as its kind runs. A scheduler may send to pipelines that do not run here, and has their files too."""
        known: tuple[Pipeline, ...] | None = None
        workloads: dict[Path, Workload] = {}
        for one in found:
            if one.model.kind != "scheduler":
                workloads[one.file] = PipelineWorkload(_pipeline(one))
                continue
            if known is None:
                known = tuple(_pipeline(each) for each in self._specs(())[0] if each.model.kind == "pipeline")
            of = Scheduler(one.model, one.environment, one.around, one.file)
            workloads[one.file] = SchedulerWorkload(of, sends_to(of.spec, known))
        return workloads

    def _kept(self, troubles: dict[str, str], outcome: LintResult | None = None) -> LoadedSpecs:
        return LoadedSpecs(tuple(self._at.values()), troubles, outcome or LintResult((), 0, {}))


def _pipeline(one: Spec) -> Pipeline:
    return Pipeline(one.model, one.environment, one.around, one.file.parent, path=one.file)


def _in_words(errors: Sequence[Finding]) -> str:
    return f"{_first_of(errors)}; what ran before goes on"


def _first_of(errors: Sequence[Finding]) -> str:
    first = errors[0]
    more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
    return f"{first.at}: {first.says}{more}; {first.hint}"
