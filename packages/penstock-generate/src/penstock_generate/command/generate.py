"""`penstock generate`: write everything that follows from the specs."""

from __future__ import annotations

import gc
from pathlib import Path

import click

from penstock.terminal.console import here
from penstock_generate.terminal.options import root_of, selection_options
from penstock_generate.tree.stamps import read_stamps
from penstock_generate.tree.writing import opened
from penstock_spec.repository import open_repository


@click.command(name="generate", short_help="Write everything that follows from the specs.")
@selection_options
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
    repository = open_repository((), platform, here())
    root = root_of(repository.root)
    with opened(root):
        stamps = read_stamps(root)
        gc.disable()  # what is loaded and read from here on stays until the end
        from penstock_generate.terminal.run import Run, Selection

        Run(repository, Selection(environments, names), root, stamps).generate()
