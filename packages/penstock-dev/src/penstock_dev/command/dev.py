"""`penstock dev`: run pipelines and schedulers on this machine, as a cluster would."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from penstock.command.console import environment_option, find_spec, here, platform_option, today
from penstock.command.operating import in_milliseconds
from penstock.command.running import refuse_errors
from penstock_spec.findings import CannotGoOn

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from penstock_dev.running.log_buffer import LogBuffer
    from penstock_dev.running.server import RedisServer

FASTEST = 1000.0
EXAMPLES = "examples"


def _speed(ctx: click.Context, param: click.Parameter, value: str) -> float:
    del ctx, param
    try:
        speed = float(value.removesuffix("x"))
    except ValueError:
        raise CannotGoOn(f"`--speed {value}` is no speed", "write it as `10x`") from None
    if not 1 <= speed <= FASTEST:
        raise CannotGoOn(f"`--speed {value}` is not between 1x and {FASTEST:g}x", "write it as `10x`")
    return speed


@click.command(name="dev", short_help="Run pipelines and schedulers on this machine, as a cluster would.")
@click.argument("specs", nargs=-1, metavar="[SPEC]...", type=click.Path(path_type=Path))
@environment_option
@click.option("--redis", metavar="URL", help="Another than the embedded one: redis://localhost:6379.")
@click.option(
    "--speed",
    default="1x",
    show_default=True,
    callback=_speed,
    metavar="FACTOR",
    help="How many times faster the autoscaler's clock goes; messages take as long as they take.",
)
@click.option("--plain", is_flag=True, help="Lines instead of the screen; they are written anyway without a terminal.")
@click.option("--for", "span", metavar="SPAN", callback=in_milliseconds, help="End after this, such as `30s`.")
@click.option("--until-idle", is_flag=True, help="End when nothing is left to do.")
@click.option(
    "--path",
    "paths",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A folder with code; the current one is, and `examples` of the repository where none is named.",
)
@platform_option
@click.pass_context
def command(
    ctx: click.Context,
    specs: tuple[Path, ...],
    environment: str | None,
    redis: str | None,
    speed: float,
    plain: bool,
    span: int | None,
    until_idle: bool,
    paths: tuple[Path, ...],
    platform: Path | None,
) -> None:
    """Run pipelines and schedulers on this machine, as a cluster would: all of the repository, or those of SPECs.

    There is a Redis of this repository's own, a janitor, and for each pipeline as many worker processes as KEDA and the
    HPA would ask for by their own arithmetic; for each scheduler as many as its spec says. When code or a spec changes,
    workers are renewed; a spec that becomes invalid stays as it was. A terminal shows it live, with keys to send, to
    kill a worker, to stop Redis; without one, or with `--plain`, there are lines.

    Without `--env` it is `dev`, where there is such an environment.

    Ctrl-C ends it: workers finish what they run, and no process stays. What Redis has is kept in `.penstock`. A second
    Ctrl-C does not wait. It ends with 1 where something did not run at the end as its spec says.

    \b
    Examples:
      penstock dev --env dev
      penstock dev specs/cache-agents.yaml
      penstock dev media-cluster --env dev --speed 10x --path examples
      penstock dev --env dev --plain --until-idle
    """
    from penstock.resolved import Resolution
    from penstock_dev.running.instance_lock import FOLDER, instance_lock
    from penstock_dev.running.launching import DevOptions, environ_for
    from penstock_dev.running.log_buffer import LogBuffer
    from penstock_dev.running.session import Session, StopConditions
    from penstock_dev.running.spec_loader import SpecLoader, SpecSelection
    from penstock_dev.screen import can_show
    from penstock_spec.repository import open_repository

    files = tuple(find_spec(spec, platform) for spec in specs)
    root = open_repository(files, platform, here()).root
    read = SpecLoader(SpecSelection(files, platform, environment, here(), today))
    first = read.read()
    if not first.workloads:
        refuse_errors(Resolution((), first.outcome))
    if until_idle and (again := next((one.name for one in first.workloads if one.kind == "scheduler"), "")):
        says = f"`--until-idle` never comes true: `{again}` is a scheduler, whose jobs come again and again"
        raise CannotGoOn(says, "end it by `--for`, or name the pipelines alone")
    for path in paths:
        if not path.is_dir():
            raise CannotGoOn(f"`--path {path}` is no folder", "name the folder that has the code")
    log = LogBuffer()
    with instance_lock(root / FOLDER) as own, _server(root, redis, log) as server:
        code = tuple(path.resolve() for path in paths) or tuple(one for one in (root / EXAMPLES,) if one.is_dir())
        options = DevOptions(here(), root, own, code, speed, environ_for(os.environ, embedded=redis is None))
        session = Session(options, read, first, server, log)
        shows = not plain and can_show(os.environ, sys.stdin, sys.stdout, sys.stderr)
        ctx.exit(session.run(StopConditions(None if span is None else span / 1000, until_idle), screen=shows))


def _server(root: Path, redis: str | None, log: LogBuffer) -> AbstractContextManager[RedisServer]:
    """The embedded one, or the one that was named."""
    from contextlib import nullcontext

    from penstock.command.running import KEPT
    from penstock.wire.url import read_url
    from penstock_dev.running.server import ExternalRedis, RepositoryRedis

    if redis is None:
        return RepositoryRedis(root / KEPT, log)
    read_url(redis, os.environ)  # what cannot be read is told before anything begins
    return nullcontext(ExternalRedis(redis))
