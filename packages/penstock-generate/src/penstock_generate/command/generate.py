"""`penstock generate`: write everything that follows from the specs."""

from __future__ import annotations

import gc
from pathlib import Path

import click

from penstock.command.console import here
from penstock_generate.command.shared import choice_options, root_of
from penstock_generate.looking import looked
from penstock_generate.writing import opened
from penstock_spec.repository import open_repository


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
    repository = open_repository((), platform, here())
    root = root_of(repository.root)
    with opened(root):
        lies = looked(root)
        gc.disable()  # what is loaded and read from here on stays until the end
        from penstock_generate.command.runs import Chosen, Run

        Run(repository, Chosen(environments, names), root, lies).generate()
