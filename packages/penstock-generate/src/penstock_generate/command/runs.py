"""Runs over a tree: what `penstock generate` and `penstock check` do, once it is known which tree."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from penstock.command.console import painter, today
from penstock_generate.build import Folder
from penstock_generate.command.shared import GENERATED
from penstock_generate.command.sources import well
from penstock_generate.danger import dangers
from penstock_generate.flow import Flow
from penstock_generate.looking import Looked, Lying
from penstock_generate.making import Sink
from penstock_generate.source import Chosen, Source, refused, unchecked
from penstock_generate.tree import Difference
from penstock_generate.writing import Change
from penstock_spec import report
from penstock_spec.findings import CannotGoOn, Finding, LintResult
from penstock_spec.linting.lint import lines_of
from penstock_spec.repository import Repository

__all__ = ["Chosen", "Run"]


@dataclass(frozen=True, slots=True)
class Run:
    """Over one tree, which is `opened`."""

    repository: Repository
    chosen: Chosen
    root: Path
    looked: Looked

    def generate(self) -> None:
        """Write what differs."""
        with Change(self.root) as change:

            def put(folder: Folder, difference: Difference) -> Lying | None:
                found = {path: change.put(path, folder.files[path]) for path in difference.to_write}
                return Lying.of(found) if difference.is_new else None

            source, flow = self._checked(put)
            difference = flow.run()
            looked = dangers(source, flow.specs, self.root, difference)
            if looked.dangerous:
                _refuse(source, looked.dangerous)
            if difference:
                change.make(difference.left_over)
            flow.remember(written=True)
        for path in difference.edited:
            click.echo(f"{GENERATED}/{path} had been changed by hand; it is as generated again", err=True)
        counts = {"written": len(difference.to_write), "removed": len(difference.left_over)}
        told = [f"{number} {what}" for what, number in counts.items() if number]
        click.echo(f"{flow.files} files: {', '.join(told) or 'none changed'}")

    def check(self) -> bool:
        """Tell what differs; whether nothing does."""
        _, flow = self._checked(lambda _, __: None)
        difference = flow.run()
        flow.remember(written=False)
        told = _told(difference)
        for line in told:
            click.echo(line)
        if told:
            click.echo(f"{len(told)} files are not what the specs say", err=True)
            click.echo("hint: run `penstock generate`, and commit what it writes", err=True)
        else:
            click.echo(f"{flow.files} files are up to date")
        return not told

    def _checked(self, sink: Sink) -> tuple[Source, Flow]:
        """What makes each spec as soon as it is checked; errors in any end the run."""
        source = well(unchecked(self.repository, self.chosen, today()))
        flow = Flow(source, self.root, self.looked, sink)
        well(refused(source, flow) or source)
        return source, flow


def _told(difference: Difference) -> list[str]:
    by_what = {
        "missing": difference.missing,
        "out of date": difference.outdated,
        "changed by hand": difference.edited,
        "left over": difference.left_over,
    }
    return [f"{what}: {GENERATED}/{path}" for what, paths in by_what.items() for path in paths]


def _refuse(source: Source, dangerous: tuple[Finding, ...]) -> None:
    """Tell what could be lost, and write nothing."""
    outcome = LintResult(dangerous, len(source.inputs.specs), lines_of(source.inputs, dangerous), ())
    click.echo(report.render("text", outcome, painter(sys.stderr)), nl=False, err=True)
    raise CannotGoOn("nothing is generated while messages could be lost", "acknowledge the change, or take it back")
