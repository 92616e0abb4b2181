"""`penstock generate`: write all files that follow from the specs."""

from __future__ import annotations

import gc
from pathlib import Path

import click

from penstock.terminal.console import here
from penstock_generate.terminal.options import root_of, selection_options
from penstock_generate.tree.stamps import read_stamps
from penstock_generate.tree.writing import opened
from penstock_spec.repository import open_repository


@click.command(name="generate", short_help="Write all files that follow from the specs.")
@selection_options
def command(environments: tuple[str, ...], names: tuple[str, ...], platform: Path | None) -> None:
    """Write all files that follow from the specs and the platform file into `generated/`.

    Files that are no longer generated are removed; other files are never touched. The change is atomic: an
    interrupted run leaves the old files. A change that could lose messages, such as another stream key, must be
    acknowledged in the spec first.

    \b
    Examples:
      penstock generate
      penstock generate --env production --only media-cluster
    """
    repository = open_repository((), platform, here())
    root = root_of(repository.root)
    with opened(root):
        stamps = read_stamps(root)
        gc.disable()  # all objects loaded from here on live until exit
        from penstock_generate.terminal.run import Run, Selection

        Run(repository, Selection(environments, names), root, stamps).generate()
