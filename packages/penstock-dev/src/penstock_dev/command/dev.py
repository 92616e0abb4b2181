"""`penstock dev`: run pipelines and schedulers locally, as a cluster would."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from penstock.terminal.console import here, today
from penstock.terminal.options import environment_option, find_spec, parse_duration, platform_option, tls_options
from penstock.terminal.resolving import refuse_errors
from penstock_spec.findings import CannotGoOn

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from penstock_dev.running.log_buffer import LogBuffer
    from penstock_dev.running.server import RedisServer

MAX_SPEED = 1000.0
EXAMPLES = "examples"


def _speed(ctx: click.Context, param: click.Parameter, value: str) -> float:
    del ctx, param
    try:
        speed = float(value.removesuffix("x"))
    except ValueError:
        raise CannotGoOn(f"`--speed {value}` is not a speed", "write it as `10x`") from None
    if not 1 <= speed <= MAX_SPEED:
        raise CannotGoOn(f"`--speed {value}` is not between 1x and {MAX_SPEED:g}x", "write it as `10x`")
    return speed


@click.command(name="dev", short_help="Run pipelines and schedulers locally, as a cluster would.")
@click.argument("specs", nargs=-1, metavar="[SPEC]...", type=click.Path(path_type=Path))
@environment_option
@click.option(
    "--redis",
    metavar="URL",
    help="A Redis instead of the embedded one: redis://localhost:6379. Others can read a password in it: set "
    "REDIS_USERNAME and REDIS_PASSWORD, or REDIS_PASSWORD_FILE.",
)
@tls_options
@click.option(
    "--speed",
    default="1x",
    show_default=True,
    callback=_speed,
    metavar="FACTOR",
    help="Speed of the autoscaler's clock. Handling times do not change.",
)
@click.option("--plain", is_flag=True, help="Print lines instead of the screen; the default without a terminal.")
@click.option("--for", "span", metavar="SPAN", callback=parse_duration, help="Stop after this time, such as `30s`.")
@click.option("--until-idle", is_flag=True, help="Stop when nothing is pending.")
@click.option(
    "--path",
    "paths",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A folder with code, in addition to the current one; by default the repository's `examples`.",
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
    """Run pipelines and schedulers locally, as a cluster would: all of the repository, or those of SPECs.

    This starts a Redis for this repository, a janitor, worker processes for each pipeline, and the processes of each
    scheduler. KEDA's and the HPA's arithmetic decides how many workers a pipeline has. When code or a spec changes,
    workers restart; an invalid spec keeps its last valid version. In a terminal, a live screen has keys to send
    messages, to kill a worker and to stop Redis. Without a terminal, or with `--plain`, the output is lines.

    The default environment is `dev`, if it exists.

    Ctrl-C lets workers finish and stops everything; a second Ctrl-C does not wait. Redis keeps its data in `.penstock`.
    The exit code is 1 if, at the end, something did not run as its spec says.

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
    loader = SpecLoader(SpecSelection(files, platform, environment, here(), today))
    first = loader.read()
    if not first.workloads:
        refuse_errors(Resolution((), first.outcome))
    if until_idle and (scheduler := next((one.name for one in first.workloads if one.kind == "scheduler"), "")):
        says = f"`--until-idle` cannot be used with a scheduler: the jobs of `{scheduler}` recur forever"
        raise CannotGoOn(says, "use `--for`, or name only pipelines")
    for path in paths:
        if not path.is_dir():
            raise CannotGoOn(f"`--path {path}` is not a folder", "name the folder with the code")
    log = LogBuffer()
    environ = environ_for(os.environ, embedded=redis is None)
    if redis is not None:
        redis, environ = _external(redis, environ)
    with instance_lock(root / FOLDER) as own, _server(root, redis, log) as server:
        code = tuple(path.resolve() for path in paths) or tuple(one for one in (root / EXAMPLES,) if one.is_dir())
        options = DevOptions(here(), root, own, code, speed, environ)
        session = Session(options, loader, first, server, log)
        shows = not plain and can_show(os.environ, sys.stdin, sys.stdout, sys.stderr)
        ctx.exit(session.run(StopConditions(None if span is None else span / 1000, until_idle), screen=shows))


def _server(root: Path, redis: str | None, log: LogBuffer) -> AbstractContextManager[RedisServer]:
    """The embedded Redis, or the given one."""
    from contextlib import nullcontext

    from penstock.terminal.resolving import EMBEDDED_FOLDER
    from penstock_dev.running.server import ExternalRedis, RepositoryRedis

    if redis is None:
        return RepositoryRedis(root / EMBEDDED_FOLDER, log)
    return nullcontext(ExternalRedis(redis))


def _external(url: str, environ: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """The URL without user and password, and the environment with them. Refuses an invalid URL."""
    from penstock.terminal.resolving import warn_of_password
    from penstock.wire.url import read_url, without_secret

    read_url(url, environ)
    warn_of_password(url)
    return without_secret(url, environ)
