"""`penstock generate`: write everything that follows from the specs."""

from __future__ import annotations

from pathlib import Path

import click

from penstock_generate.build import Chosen
from penstock_generate.command.shared import GENERATED, built, choice_options, root_of
from penstock_generate.tree import compare
from penstock_generate.writing import change, opened


@click.command(name="generate", short_help="Write everything that follows from the specs.")
@choice_options
def command(environments: tuple[str, ...], names: tuple[str, ...], platform: Path | None) -> None:
    """Write everything that follows from the specs and the platform file into `generated/`.

    Files that follow from nothing any more are removed; what was not generated is never touched. It is written as a
    whole: an interrupted run leaves nothing half done.

    \b
    Examples:
      penstock generate
      penstock generate --env production --only media-cluster
    """
    chosen = Chosen(environments, names)
    repository, artifacts = built(platform, chosen)
    root = root_of(repository)
    with opened(root):
        difference = compare(root, artifacts, chosen.covers)
        contents = {one.path: one.content.encode() for one in artifacts}
        if difference:
            change(root, {path: contents[path] for path in difference.to_write}, difference.left_over)
    for path in difference.edited:
        click.echo(f"{GENERATED}/{path} had been changed by hand; it is as generated again", err=True)
    counts = {"written": len(difference.to_write), "removed": len(difference.left_over)}
    told = [f"{number} {what}" for what, number in counts.items() if number]
    click.echo(f"{len(artifacts)} files: {', '.join(told) or 'none changed'}")
