"""The repository here, for the generator's verbs; errors in its files end the command."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from penstock.command.console import here, painter, today
from penstock_generate.source import Chosen, Refused, Source, read
from penstock_spec import report
from penstock_spec.findings import CannotGoOn
from penstock_spec.repository import open_repository


def source_of(platform: Path | None, chosen: Chosen) -> Source:
    """All of it, checked."""
    return well(read(open_repository((), platform, here()), chosen, today()))


def well(found: Source | Refused) -> Source:
    """What was found, or an end with its errors."""
    if isinstance(found, Refused):
        click.echo(report.render("text", found.outcome, painter(sys.stderr)), nl=False, err=True)
        raise CannotGoOn("nothing is generated from specs with errors", "see `penstock lint`")
    return found
