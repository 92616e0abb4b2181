"""`penstock scheduler`: run recurring jobs, and look after them."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from penstock.terminal.console import here, painter, today
from penstock.terminal.options import (
    SpecOptions,
    find_spec,
    json_option,
    listen_option,
    log_format_option,
    spec_argument,
    spec_options,
)
from penstock.terminal.output import INCOMPLETE, aside, tell
from penstock.terminal.resolving import address_of, redis_of, set_up_log
from penstock_spec.findings import CannotGoOn, Severity

if TYPE_CHECKING:
    from penstock.operating.jobs import Desk
    from penstock.scheduler.resolved import ResolvedScheduler
    from penstock.wire.credentials import Credentials

T = TypeVar("T")


@click.group(name="scheduler", short_help="Run recurring jobs, and look after them.")
def command() -> None:
    """Run the jobs of a scheduler, and look after them: SPEC is a file, or its name."""


@command.command(name="run", short_help="Run a scheduler's jobs.")
@spec_argument
@spec_options
@click.option(
    "--path", "paths", multiple=True, type=click.Path(path_type=Path), help="A folder with code; the current one is."
)
@click.option(
    "--pipelines",
    type=click.Path(path_type=Path),
    help="The folder with worker files of pipelines that jobs send to; else `pipelines` beside a generated SPEC.",
)
@listen_option
@log_format_option
@click.pass_context
def run(
    ctx: click.Context,
    options: SpecOptions,
    paths: tuple[Path, ...],
    pipelines: Path | None,
    listen: str,
    log_format: str | None,
) -> None:
    """Run the jobs of SPEC until it is told to stop.

    SIGTERM or SIGINT begin to leave: nothing more is taken, what runs is told to stop, and its jobs are handed back for
    others to run. A second signal ends it at once; its jobs are due again when its lease is over.

    \b
    Examples:
      penstock scheduler run cache-agents --env production
      penstock scheduler run specs/cache-agents.yaml --embedded
    """
    from penstock.observe.lines import Process
    from penstock.pod.role import Start
    from penstock.pod.run import run as run_pod
    from penstock.scheduler.patterns import PatternsFile
    from penstock.scheduler.resolved import pipelines_of, resolve
    from penstock.scheduler.role import scheduler_role

    scheduler, credentials = _resolved(options)
    process = Process(scheduler.name, kind="scheduler")
    set_up_log(process, log_format)
    find_pipeline = pipelines_of(scheduler, options.platform, pipelines, here(), today())
    patterns = PatternsFile(
        scheduler, lambda: resolve(scheduler.file, options.platform, scheduler.environment, here(), today())[0]
    )
    role = scheduler_role(scheduler, paths, find_pipeline, patterns)
    ctx.exit(run_pod(role, Start(process, credentials, address_of(listen))))


@command.command(name="list", short_help="Show the jobs, and how each stands.")
@spec_argument
@spec_options
@json_option
def list_(options: SpecOptions, *, as_json: bool) -> None:
    """Show the jobs that are registered: whether each runs, waits or is paused, and how its last run went.

    With `--json` there is an object a job, one a line. Times are Redis's, in seconds since 1970.
    """
    from penstock.operating.job_table import table
    from penstock.terminal.output import tell_json, tell_table

    async def ask(desk: Desk) -> Any:  # noqa: ANN401 - two values
        return await desk.standing(await desk.names()), await desk.all_paused()

    found, all_paused = _ask(options, ask)
    if as_json:
        for one in found:
            tell_json(one.told())
        return
    if all_paused:
        aside("all jobs are paused; `penstock scheduler resume --all` lets them run again")
    if found:
        tell_table(table(found))
    else:
        aside("no job is registered")


@command.command(name="why", short_help="Say when a job runs next, and what holds it.")
@spec_argument
@click.argument("job")
@spec_options
@json_option
@click.pass_context
def why(ctx: click.Context, options: SpecOptions, job: str, *, as_json: bool) -> None:
    """Say in words when JOB runs next, and what holds it. It ends with 1 where the job is not registered."""
    from penstock.operating.jobs import why as words
    from penstock.terminal.output import tell_json

    scheduler, credentials = _resolved(options)

    async def ask(desk: Desk) -> Any:  # noqa: ANN401 - two values
        return (await desk.standing([job]))[0], await desk.all_paused()

    one, all_paused = _over(scheduler, credentials, ask)
    said = words(scheduler, one, all_paused=all_paused)
    if as_json:
        tell_json({**one.told(), "all_paused": all_paused, "why": said})
    else:
        for line in said:
            tell(line)
    ctx.exit(INCOMPLETE if one.state == "unregistered" else 0)


@command.command(name="run-now", short_help="Let a job run at once.")
@spec_argument
@click.argument("job")
@spec_options
@click.pass_context
def run_now(ctx: click.Context, options: SpecOptions, job: str) -> None:
    """Let JOB be due at once. One that runs or is paused stays as it is."""
    says = {0: "is not registered", 1: "is due now", 2: "runs already", 3: "is paused, and is not run; resume it first"}
    ctx.exit(_ask_for(options, "run_now", [job], says, well=(1,)))


@command.command(name="pause", short_help="Let jobs wait until they are resumed.")
@spec_argument
@click.argument("jobs", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="No pod takes anything.")
@spec_options
@click.pass_context
def pause(ctx: click.Context, options: SpecOptions, jobs: tuple[str, ...], *, everything: bool) -> None:
    """Let JOBS wait until they are resumed; one that runs ends first. It outlasts pods, and new versions of them."""
    says = {0: "is not registered", 1: "is paused", 2: "is paused, and still runs to its end", 3: "was paused before"}
    of_all = {1: "all jobs are paused; what runs ends first", 3: "all jobs were paused before"}
    ctx.exit(_ask_for(options, "pause", _meant(jobs, everything=everything), says, of_all, well=(1, 2, 3)))


@command.command(name="resume", short_help="Let paused jobs run again.")
@spec_argument
@click.argument("jobs", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="End `pause --all`; jobs that were paused by name stay so.")
@spec_options
@click.pass_context
def resume(ctx: click.Context, options: SpecOptions, jobs: tuple[str, ...], *, everything: bool) -> None:
    """Let JOBS run again that were paused, when they were due or at once."""
    says = {0: "is not registered", 1: "is resumed", 2: "is resumed", 3: "was not paused"}
    of_all = {1: "jobs run again, but those that were paused by name", 3: "nobody had paused all jobs"}
    ctx.exit(_ask_for(options, "resume", _meant(jobs, everything=everything), says, of_all, well=(1, 2, 3)))


def _meant(jobs: tuple[str, ...], *, everything: bool) -> Sequence[str]:
    if everything == bool(jobs):
        raise CannotGoOn("it is not clear which jobs are meant", "name them, or say `--all`")
    return ["*"] if everything else jobs


def _ask_for(
    options: SpecOptions,
    what: Literal["pause", "resume", "run_now"],
    names: Sequence[str],
    says: dict[int, str],
    of_all: dict[int, str] | None = None,
    *,
    well: tuple[int, ...],
) -> int:
    answers = _ask(options, lambda desk: desk.ask_for(what, names))
    for name, answer in zip(names, answers, strict=True):
        line = of_all[answer] if of_all and name == "*" else f"`{name}` {says[answer]}"
        (tell if answer in well else aside)(line)
    return 0 if all(answer in well for answer in answers) else INCOMPLETE


def _ask(options: SpecOptions, question: Callable[[Desk], Awaitable[T]]) -> T:
    return _over(*_resolved(options), question)


def _over(scheduler: ResolvedScheduler, credentials: Credentials, question: Callable[[Desk], Awaitable[T]]) -> T:
    from penstock.operating import reach
    from penstock.operating.jobs import Desk
    from penstock.pod.links import link_to

    async def ask() -> T:
        link = link_to(scheduler, credentials, "operator")
        try:
            return await question(Desk(scheduler, link))
        finally:
            await link.close()

    return reach.run(ask())


def _resolved(options: SpecOptions) -> tuple[ResolvedScheduler, Credentials]:
    from penstock.scheduler.resolved import resolve

    file = find_spec(options.spec, options.platform)
    scheduler, outcome = resolve(file, options.platform, options.environment, here(), today())
    if scheduler is None:
        from penstock_spec import report

        if outcome is not None and outcome.count(Severity.ERROR):
            click.echo(report.render("text", outcome, painter(sys.stderr)), nl=False, err=True)
        raise CannotGoOn("there is nothing to run as it is", "see `penstock lint`")
    model, credentials = redis_of(options.redis, options.platform, scheduler.redis, os.environ)
    return (scheduler if model is None else scheduler.on(model)), credentials
