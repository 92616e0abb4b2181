"""`penstock check`: whether what was generated is what would be generated."""

from __future__ import annotations

from pathlib import Path

import click

from penstock_generate.command.shared import GENERATED, choice_options, flow_of, root_of, unchecked_of
from penstock_generate.source import Chosen
from penstock_generate.tree import Difference
from penstock_generate.writing import opened


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
    source = unchecked_of(platform, Chosen(environments, names))
    root = root_of(source)
    with opened(root):
        flow = flow_of(source, root, lambda _, __: None)
        difference = flow.run()
        flow.remember(written=False)
    told = _told(difference)
    for line in told:
        click.echo(line)
    if told:
        click.echo(f"{len(told)} files are not what the specs say", err=True)
        click.echo("hint: run `penstock generate`, and commit what it writes", err=True)
        ctx.exit(1)
    click.echo(f"{flow.files} files are up to date")


def _told(difference: Difference) -> list[str]:
    by_what = {
        "missing": difference.missing,
        "out of date": difference.outdated,
        "changed by hand": difference.edited,
        "left over": difference.left_over,
    }
    return [f"{what}: {GENERATED}/{path}" for what, paths in by_what.items() for path in paths]
