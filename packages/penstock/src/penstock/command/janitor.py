"""`penstock janitor`: look after all pipelines of an environment."""

from __future__ import annotations

import os
from pathlib import Path

import click

from penstock.command.console import environment_option, platform_option
from penstock.command.running import (
    address_of,
    listen_option,
    log_format_of,
    log_format_option,
    redis_option,
    resolved,
)
from penstock_spec.findings import CannotGoOn


@click.command(name="janitor", short_help="Look after all pipelines of an environment.")
@environment_option
@redis_option
@click.option("--dry-run", is_flag=True, help="Say what one round would do, change nothing, and end.")
@click.option("--once", is_flag=True, help="Make one round over each pipeline, and end.")
@listen_option
@log_format_option
@platform_option
@click.pass_context
def command(
    ctx: click.Context,
    environment: str | None,
    redis: str | None,
    dry_run: bool,
    once: bool,
    listen: str,
    log_format: str | None,
    platform: Path | None,
) -> None:
    """Look after all pipelines of an environment, until it is told to stop.

    It promotes what is due, takes over from lost workers, puts the indexes right, trims what is finished, removes
    ghosts, and tells metrics that no worker can. Of several janitors one leads and the others stand by; two at once do
    no harm.

    With `--once` nothing is taken over from lost workers: that takes a whole lease of contact with Redis first.

    \b
    Examples:
      penstock janitor --env production
      penstock janitor --env production --dry-run
    """
    from penstock.janitor import process
    from penstock.observe.lines import Process
    from penstock.observe.logs import level_of, set_up

    if dry_run and once:
        raise CannotGoOn("`--dry-run` and `--once` exclude each other", "leave one of them out")
    pipelines, credentials = resolved((), platform, environment, redis)
    start = process.Start(pipelines, credentials, address_of(listen))
    if dry_run:
        plan = process.plan(start)
        for would in plan:
            click.echo(f"would {would.does}  ({would.pipeline}: {would.count})")
        if not plan:
            click.echo("a round would find nothing to do")
        return
    set_up(Process(), format_=log_format_of(log_format), level=level_of(os.environ))
    ctx.exit(process.once(start) if once else process.run(start))
