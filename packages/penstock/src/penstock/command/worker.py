"""`penstock worker`: run a pipeline's messages."""

from __future__ import annotations

from pathlib import Path

import click

from penstock.terminal.options import (
    environment_option,
    find_spec,
    listen_option,
    log_format_option,
    platform_option,
    redis_option,
)
from penstock.terminal.resolving import address_of, resolve_pipelines, set_up_log


@click.command(name="worker", short_help="Run a pipeline's messages.")
@click.argument("spec", type=click.Path(path_type=Path))
@environment_option
@redis_option
@click.option("--until-idle", is_flag=True, help="Leave when there is nothing left to do.")
@click.option(
    "--path", "paths", multiple=True, type=click.Path(path_type=Path), help="A folder with code; the current one is."
)
@listen_option
@log_format_option
@platform_option
@click.pass_context
def command(
    ctx: click.Context,
    spec: Path,
    environment: str | None,
    redis: str | None,
    until_idle: bool,
    paths: tuple[Path, ...],
    listen: str,
    log_format: str | None,
    platform: Path | None,
) -> None:
    """Run the messages of SPEC (a file, or its name) until it is told to stop.

    SIGTERM or SIGINT begin a drain: reading stops, what runs is finished within the spec's grace, the rest is given
    back. A second signal ends it at once; nothing is lost, as what was not settled is taken over.

    \b
    Examples:
      penstock worker media-cluster --env production
      penstock worker specs/hello.yaml --embedded
    """
    (pipeline,), credentials = resolve_pipelines((find_spec(spec, platform),), platform, environment, redis)
    from penstock.observe.lines import Process
    from penstock.pod.role import Start
    from penstock.pod.run import run
    from penstock.worker.role import worker_role

    process = Process(pipeline.name)
    form = set_up_log(process, log_format)
    start = Start(process, credentials, address_of(listen))
    ctx.exit(run(worker_role(pipeline, paths, form, until_idle=until_idle), start))
