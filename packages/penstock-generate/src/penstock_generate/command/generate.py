"""`penstock generate`: write everything that follows from the specs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from penstock.command.console import painter
from penstock_generate.build import Folder
from penstock_generate.command.shared import GENERATED, choice_options, flow_of, root_of, unchecked_of
from penstock_generate.danger import dangers
from penstock_generate.source import Chosen, Source
from penstock_generate.tree import Difference
from penstock_generate.writing import Change, opened
from penstock_spec import report
from penstock_spec.findings import CannotGoOn, Finding, Outcome
from penstock_spec.linting.lint import lines_of


@click.command(name="generate", short_help="Write everything that follows from the specs.")
@choice_options
def command(environments: tuple[str, ...], names: tuple[str, ...], platform: Path | None) -> None:
    """Write everything that follows from the specs and the platform file into `generated/`.

    Files that follow from nothing any more are removed; what was not generated is never touched. It is written as a
    whole: an interrupted run leaves nothing half done. A change that can lose messages, such as another name for a
    stream, has to be acknowledged in the spec first.

    \b
    Examples:
      penstock generate
      penstock generate --env production --only media-cluster
    """
    source = unchecked_of(platform, Chosen(environments, names))
    root = root_of(source)
    with opened(root), Change(root) as change:

        def put(folder: Folder, difference: Difference) -> None:
            new = set(difference.to_write)
            for one in folder.artifacts:
                if one.path in new:
                    change.put(one.path, one.content.encode())

        flow = flow_of(source, root, put)
        difference = flow.run()
        looked = dangers(source, flow.specs, root, difference)
        if looked.dangerous:
            refuse(source, looked.dangerous)
        if difference:
            change.make(difference.left_over)
        flow.remember(written=True)
    for path in difference.edited:
        click.echo(f"{GENERATED}/{path} had been changed by hand; it is as generated again", err=True)
    counts = {"written": len(difference.to_write), "removed": len(difference.left_over)}
    told = [f"{number} {what}" for what, number in counts.items() if number]
    click.echo(f"{flow.files} files: {', '.join(told) or 'none changed'}")


def refuse(source: Source, dangerous: tuple[Finding, ...]) -> None:
    """Tell what could be lost, and write nothing."""
    outcome = Outcome(dangerous, len(source.inputs.specs), lines_of(source.inputs, dangerous), ())
    click.echo(report.render("text", outcome, painter(sys.stderr)), nl=False, err=True)
    raise CannotGoOn("nothing is generated while messages could be lost", "acknowledge the change, or take it back")
