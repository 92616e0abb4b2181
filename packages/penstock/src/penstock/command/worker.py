"""`penstock worker`: run the messages of a pipeline."""

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


@click.command(name="worker", short_help="Run the messages of a pipeline.")
@click.argument("spec", type=click.Path(path_type=Path))
@environment_option
@redis_option
@click.option("--until-idle", is_flag=True, help="Stop when no message is left.")
@click.option(
    "--path",
    "paths",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Folder with code, besides the current one; may be given several times.",
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
    """Run the messages of SPEC (a file or a name) until SIGTERM or SIGINT.

    The signal starts a graceful shutdown: the worker reads no more messages, and finishes running ones. Messages that
    still run `shutdown.margin` before the end of `shutdown.grace` are cancelled and given back. A second signal stops
    the worker at once; other workers take over its messages.

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
