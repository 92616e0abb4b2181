"""`penstock janitor`: look after all pipelines of an environment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from penstock.terminal.options import (
    environment_option,
    listen_option,
    log_format_option,
    platform_option,
    redis_option,
)
from penstock.terminal.output import INCOMPLETE, aside, tell
from penstock.terminal.resolving import address_of, resolve_pipelines, set_up_log
from penstock_spec.findings import CannotGoOn

if TYPE_CHECKING:
    from penstock.janitor.dry_run import RoundPlan


@click.command(name="janitor", short_help="Run a janitor: maintain all pipelines of an environment.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FOLDER | FILE.json...]")
@environment_option
@redis_option
@click.option("--dry-run", is_flag=True, help="Print what one round would do, change nothing, and stop.")
@click.option("--once", is_flag=True, help="Run one round over each pipeline, and stop.")
@listen_option
@log_format_option
@platform_option
@click.pass_context
def command(
    ctx: click.Context,
    files: tuple[Path, ...],
    environment: str | None,
    redis: str | None,
    dry_run: bool,
    once: bool,
    listen: str,
    log_format: str | None,
    platform: Path | None,
) -> None:
    """Maintain all pipelines of an environment, until SIGTERM or SIGINT.

    The janitor promotes due messages, takes over messages of lost workers, reconciles, trims finished messages, removes
    ghosts, and exports metrics that workers cannot. Of several janitors, one leads and the others are standby.

    Without an argument, it maintains the pipelines of the repository. In a pod, it maintains those in a generated
    FOLDER of worker files, and stops when they change, so that Kubernetes restarts it.

    `--once` takes nothing over from lost workers, because that needs contact with Redis for a whole lease. `--dry-run`
    exits with 1 if it cannot check a pipeline.

    \b
    Examples:
      penstock janitor --env production
      penstock janitor --env production --dry-run
      penstock janitor /etc/penstock/pipelines
    """
    from penstock.janitor.role import janitor_role
    from penstock.janitor.single_round import make_round, plan_round
    from penstock.janitor.worker_files import WorkerFiles, check_same_environment
    from penstock.observe.lines import Process
    from penstock.pod.role import Start
    from penstock.pod.run import run

    if dry_run and once:
        raise CannotGoOn("`--dry-run` and `--once` exclude each other", "leave one of them out")
    read = WorkerFiles(files)
    pipelines, credentials = resolve_pipelines(read.found, platform, environment, redis)
    if files:
        check_same_environment(pipelines)
    address = address_of(listen)
    if dry_run:
        ctx.exit(_tell(plan_round(pipelines, credentials)))
    process = Process()
    set_up_log(process, log_format)
    if once:
        ctx.exit(make_round(pipelines, credentials))
    ctx.exit(run(janitor_role(pipelines, read.changed), Start(process, credentials, address)))


def _tell(seen: Sequence[RoundPlan]) -> int:
    """What a round would do, and of which pipelines nobody can say it."""
    from penstock.operating.reach import as_sentence

    finds = [found for one in seen for found in one.changes]
    for found in finds:
        tell(str(found))
    troubles = [(one.pipeline, as_sentence(one.trouble)) for one in seen if one.trouble]
    if not finds and not troubles:
        tell("nothing to do")
    for pipeline, sentence in troubles:
        aside(f"{pipeline}: cannot be checked: {sentence.says}; {sentence.hint}")
    return INCOMPLETE if troubles else 0
