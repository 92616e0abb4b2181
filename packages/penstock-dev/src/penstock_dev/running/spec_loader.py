"""Loads the specs at the start and after changes. An invalid spec keeps its last valid version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from penstock.resolved import Resolved, ResolvedPipeline, specs
from penstock.scheduler.resolved import ResolvedScheduler
from penstock_dev.running.pipeline import PipelineWorkload
from penstock_dev.running.scheduler import SchedulerWorkload, sends_to
from penstock_dev.running.workload import Workload
from penstock_spec.findings import CannotGoOn, Finding, LintResult, Severity
from penstock_spec.repository import open_repository

DEFAULT_ENVIRONMENT = "dev"
"""The default environment, if there are several."""


@dataclass(frozen=True, slots=True)
class SpecSelection:
    """The specs that the command line selects."""

    specs: tuple[Path, ...]
    platform: Path | None
    environment: str | None
    here: Path
    today: Callable[[], date]


@dataclass(frozen=True, slots=True)
class LoadedSpecs:
    """The last valid specs, and the errors of the current ones."""

    workloads: tuple[Workload, ...]
    errors: dict[str, str]
    """By spec name; the empty name stands for the whole repository."""
    outcome: LintResult


class SpecLoader:
    """Loads the selected specs, or all of the repository."""

    def __init__(self, selection: SpecSelection) -> None:
        """Nothing is loaded yet."""
        self._selection = selection
        self._last: dict[Path, Workload] = {}

    def read(self) -> LoadedSpecs:
        """Load the specs; an invalid one keeps its last valid version. Raises CannotGoOn if none was ever valid."""
        selection = self._selection
        try:
            paths = open_repository(selection.specs, selection.platform, selection.here).specs
            resolved, outcome = self._specs(selection.specs)
        except CannotGoOn as error:
            if not self._last:
                raise
            return self._kept({"": f"{error.says}; {error.hint}" if error.hint else error.says})
        if not outcome.count(Severity.ERROR):
            self._last = self._by_path(resolved)
            return LoadedSpecs(tuple(self._last.values()), {}, outcome)
        if not self._last:
            errors = [one for one in outcome.findings if one.severity is Severity.ERROR]
            return LoadedSpecs((), {"": f"{_first_of(errors)}; nothing is running"}, outcome)
        return self._load_each(paths, outcome)

    def _load_each(self, paths: Sequence[Path], outcome: LintResult) -> LoadedSpecs:
        """Load each spec by itself: an invalid one does not block the others."""
        errors = dict[str, str]()
        for path in paths:
            try:
                resolved, alone = self._specs((path,))
            except CannotGoOn as error:
                return self._kept({"": error.says})
            own_errors = [one for one in alone.findings if one.severity is Severity.ERROR]
            if not own_errors:
                self._last |= self._by_path(resolved)
                continue
            name = self._last[path].name if path in self._last else ""
            errors.setdefault(name, _summary(own_errors))
        if not errors:  # each spec is valid, but not together
            errors[""] = _summary([one for one in outcome.findings if one.severity is Severity.ERROR])
        self._last = {path: one for path, one in self._last.items() if path in paths}
        return self._kept(errors, outcome)

    def _specs(self, paths: tuple[Path, ...]) -> tuple[tuple[Resolved[Any], ...], LintResult]:
        selection = self._selection
        return specs(
            paths,
            selection.platform,
            selection.environment,
            selection.here,
            selection.today(),
            usual=DEFAULT_ENVIRONMENT,
        )

    def _by_path(self, resolved: Sequence[Resolved[Any]]) -> dict[Path, Workload]:
        """A workload per spec. A scheduler gets the files of all pipelines that it sends to, running or not."""
        known: tuple[ResolvedPipeline, ...] | None = None
        workloads: dict[Path, Workload] = {}
        for one in resolved:
            if one.spec.kind != "scheduler":
                workloads[one.file] = PipelineWorkload(ResolvedPipeline.of(one))
                continue
            if known is None:
                known = tuple(ResolvedPipeline.of(each) for each in self._specs(())[0] if each.spec.kind == "pipeline")
            of = ResolvedScheduler.of(one)
            workloads[one.file] = SchedulerWorkload(of, sends_to(of.spec, known))
        return workloads

    def _kept(self, errors: dict[str, str], outcome: LintResult | None = None) -> LoadedSpecs:
        return LoadedSpecs(tuple(self._last.values()), errors, outcome or LintResult((), 0, {}))


def _summary(errors: Sequence[Finding]) -> str:
    return f"{_first_of(errors)}; still running the last valid version"


def _first_of(errors: Sequence[Finding]) -> str:
    first = errors[0]
    more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
    return f"{first.at}: {first.says}{more}; {first.hint}"
