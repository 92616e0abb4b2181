"""The runs of `penstock generate` and `penstock check` over a tree, and their output."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from penstock.terminal.console import painter, today
from penstock_generate.diffing.dangerous_changes import dangers
from penstock_generate.incremental.folders import Folder
from penstock_generate.incremental.run import IncrementalRun
from penstock_generate.incremental.units import Sink
from penstock_generate.inputs.source import Selection, Source, linted, read_unchecked
from penstock_generate.terminal.options import GENERATED
from penstock_generate.terminal.repository import valid
from penstock_generate.tree.compare import Difference
from penstock_generate.tree.stamps import FolderStamp, Stamps
from penstock_generate.tree.writing import Change
from penstock_spec import report
from penstock_spec.findings import CannotGoOn, Finding, LintResult
from penstock_spec.linting.lint import lines_of
from penstock_spec.repository import Repository

__all__ = ["Run", "Selection"]


@dataclass(frozen=True, slots=True)
class Run:
    """A run over one tree, which is `opened`."""

    repository: Repository
    chosen: Selection
    root: Path
    stamps: Stamps

    def generate(self) -> None:
        """Write the files that differ."""
        with Change(self.root) as change:

            def stage(folder: Folder, difference: Difference) -> FolderStamp | None:
                staged = {path: change.stage(path, folder.files[path]) for path in difference.to_write}
                return FolderStamp.of(staged) if difference.is_new else None

            source, run = self._linted(stage)
            difference = run.run()
            findings = dangers(source, run.specs, self.root, difference)
            if findings.dangerous:
                _refuse(source, findings.dangerous)
            if difference:
                change.commit(difference.left_over)
            run.remember(written=True)
        for path in difference.edited:
            click.echo(f"{GENERATED}/{path} was edited by hand; it is overwritten", err=True)
        counts = {"written": len(difference.to_write), "removed": len(difference.left_over)}
        parts = [f"{number} {what}" for what, number in counts.items() if number]
        click.echo(f"{run.files} files: {', '.join(parts) or 'none changed'}")

    def check(self) -> bool:
        """Print the files that differ; True if there are none."""
        _, run = self._linted(lambda _, __: None)
        difference = run.run()
        run.remember(written=False)
        lines = _lines(difference)
        for line in lines:
            click.echo(line)
        if lines:
            click.echo(f"{len(lines)} files are not up to date", err=True)
            click.echo("hint: run `penstock generate`, and commit the result", err=True)
        else:
            click.echo(f"{run.files} files are up to date")
        return not lines

    def _linted(self, sink: Sink) -> tuple[Source, IncrementalRun]:
        """Lint the specs and build each valid one on the way; an error ends the command."""
        source = valid(read_unchecked(self.repository, self.chosen, today()))
        run = IncrementalRun(source, self.root, self.stamps, sink)
        checked, built = linted(source, run.build)
        run.take(built)
        return valid(checked), run


def _lines(difference: Difference) -> list[str]:
    by_state = {
        "missing": difference.missing,
        "out of date": difference.outdated,
        "edited by hand": difference.edited,
        "left over": difference.left_over,
    }
    return [f"{state}: {GENERATED}/{path}" for state, paths in by_state.items() for path in paths]


def _refuse(source: Source, dangerous: tuple[Finding, ...]) -> None:
    """Print the dangerous changes, and end the command."""
    outcome = LintResult(dangerous, len(source.inputs.specs), lines_of(source.inputs, dangerous), ())
    click.echo(report.render("text", outcome, painter(sys.stderr)), nl=False, err=True)
    raise CannotGoOn("nothing is generated: messages could be lost", "acknowledge the change, or take it back")
