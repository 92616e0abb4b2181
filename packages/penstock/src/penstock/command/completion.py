"""`penstock completion`: a script that lets a shell complete commands, environments and rules."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")


@click.command(name="completion", short_help="Print the completion script for a shell.")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print a script that lets a shell complete commands, options, environments and rules.

    \b
    Add one of these to the shell's startup file:
      bash   eval "$(penstock completion bash)"
      zsh    eval "$(penstock completion zsh)"
      fish   penstock completion fish | source
    """
    from penstock.command import app

    script = get_completion_class(shell)
    assert script is not None  # noqa: S101 - click knows the three
    click.echo(script(app, {}, "penstock", "_PENSTOCK_COMPLETE").source())
