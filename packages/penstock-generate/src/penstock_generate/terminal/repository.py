"""Reads the repository in the working directory for the generator's verbs; errors in its files end the command."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from penstock.terminal.console import here, painter, today
from penstock_generate.inputs.source import InvalidSpecs, Selection, Source, read_source
from penstock_spec import report
from penstock_spec.findings import CannotGoOn
from penstock_spec.repository import open_repository


def source_of(platform: Path | None, chosen: Selection) -> Source:
    """The repository, read and linted."""
    return valid(read_source(open_repository((), platform, here()), chosen, today()))


def valid(source: Source | InvalidSpecs) -> Source:
    """The source; prints the errors and ends the command if there are any."""
    if isinstance(source, InvalidSpecs):
        click.echo(report.render("text", source.outcome, painter(sys.stderr)), nl=False, err=True)
        raise CannotGoOn("nothing is generated from specs with errors", "see `penstock lint`")
    return source
