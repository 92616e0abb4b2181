"""`penstock check`: whether what was generated is what would be generated."""

from __future__ import annotations

import gc
from pathlib import Path

import click

from penstock.command.console import here
from penstock_generate.command.shared import choice_options, root_of
from penstock_generate.looking import looked
from penstock_generate.writing import opened
from penstock_spec.repository import open_repository


@click.command(name="check", short_help="See whether what was generated is up to date.")
@choice_options
@click.pass_context
def command(ctx: click.Context, environments: tuple[str, ...], names: tuple[str, ...], platform: Path | None) -> None:
    """See whether `generated/` is what would be generated now, and change nothing.

    Ends with 1 where a file is missing, out of date, changed by hand, or left over.

    \b
    Examples:
      penstock check
    """
    repository = open_repository((), platform, here())
    root = root_of(repository.root)
    with opened(root):
        lies = looked(root)
        gc.disable()  # what is loaded and read from here on stays until the end
        from penstock_generate.command.runs import Chosen, Run

        ctx.exit(0 if Run(repository, Chosen(environments, names), root, lies).check() else 1)
