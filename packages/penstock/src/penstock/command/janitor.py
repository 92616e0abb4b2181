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


@click.command(name="janitor", short_help="Look after all pipelines of an environment.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FOLDER | FILE.json...]")
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
    files: tuple[Path, ...],
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

    Without an argument, the pipelines are those of the repository. A pod has none: there it looks after those in a
    FOLDER of worker files that were generated. When they change it leaves, to be started anew.

    With `--once` nothing is taken over from lost workers: that takes a whole lease of contact with Redis first.
    `--dry-run` ends with 1 where of some pipelines it cannot be told what a round would do.

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

    finds = [found for one in seen for found in one.finds]
    for found in finds:
        tell(str(found))
    troubles = [(one.pipeline, as_sentence(one.trouble)) for one in seen if one.trouble]
    if not finds and not troubles:
        tell("a round would find nothing to do")
    for pipeline, sentence in troubles:
        aside(f"{pipeline}: it cannot be told what a round would do: {sentence.says}; {sentence.hint}")
    return INCOMPLETE if troubles else 0
