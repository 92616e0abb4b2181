"""`penstock check`: compare `generated/` with the specs."""

from __future__ import annotations

import gc
from pathlib import Path

import click

from penstock.terminal.console import here
from penstock_generate.terminal.options import root_of, selection_options
from penstock_generate.tree.stamps import read_stamps
from penstock_generate.tree.writing import opened
from penstock_spec.repository import open_repository


@click.command(name="check", short_help="Check that generated files are up to date.")
@selection_options
@click.pass_context
def command(ctx: click.Context, environments: tuple[str, ...], names: tuple[str, ...], platform: Path | None) -> None:
    """Check that `generated/` is up to date, and change nothing.

    Exit code 1: a file is missing, out of date, edited by hand, or left over.

    \b
    Examples:
      penstock check
    """
    repository = open_repository((), platform, here())
    root = root_of(repository.root)
    with opened(root):
        stamps = read_stamps(root)
        gc.disable()  # all objects loaded from here on live until exit
        from penstock_generate.terminal.run import Run, Selection

        ctx.exit(0 if Run(repository, Selection(environments, names), root, stamps).check() else 1)
