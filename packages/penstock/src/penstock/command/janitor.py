"""`penstock janitor`: maintain all pipelines of an environment."""

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
from penstock.terminal.output import INCOMPLETE, print_line, print_note
from penstock.terminal.resolving import address_of, resolve_pipelines, set_up_log
from penstock_spec.findings import CannotGoOn

if TYPE_CHECKING:
    from penstock.janitor.dry_run import RoundPlan


@click.command(name="janitor", short_help="Maintain all pipelines of an environment.")
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

    `--once` does not take over messages of lost workers: that needs contact with Redis for as long as a lease.
    `--dry-run` exits with 1 if it cannot check a pipeline.

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
        ctx.exit(_print_plan(plan_round(pipelines, credentials)))
    process = Process()
    set_up_log(process, log_format)
    if once:
        ctx.exit(make_round(pipelines, credentials))
    ctx.exit(run(janitor_role(pipelines, read.changed), Start(process, credentials, address)))


def _print_plan(plans: Sequence[RoundPlan]) -> int:
    """Print what a round would do, and which pipelines cannot be checked; return the exit code."""
    from penstock.operating.reach import as_sentence

    changes = [change for plan in plans for change in plan.changes]
    for change in changes:
        print_line(str(change))
    troubles = [(plan.pipeline, as_sentence(plan.trouble)) for plan in plans if plan.trouble]
    if not changes and not troubles:
        print_line("nothing to do")
    for pipeline, sentence in troubles:
        print_note(f"{pipeline}: cannot be checked: {sentence.says}; {sentence.hint}")
    return INCOMPLETE if troubles else 0
