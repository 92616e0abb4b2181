"""`penstock scheduler`: run recurring jobs; list, pause and resume them."""

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
from penstock.terminal.output import INCOMPLETE, print_line, print_note
from penstock.terminal.resolving import address_of, redis_of, set_up_log
from penstock_spec.findings import CannotGoOn, Severity

if TYPE_CHECKING:
    from penstock.operating.jobs import JobControl
    from penstock.scheduler.resolved import ResolvedScheduler
    from penstock.wire.credentials import Credentials

T = TypeVar("T")


@click.group(name="scheduler", short_help="Run recurring jobs; list, pause and resume them.")
def command() -> None:
    """Run the jobs of a scheduler; list, pause and resume them. SPEC is a file or a spec's name."""


@command.command(name="run", short_help="Run the jobs of a scheduler.")
@spec_argument
@spec_options
@click.option(
    "--path",
    "paths",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Folder with code, besides the current one; may be given several times.",
)
@click.option(
    "--pipelines",
    type=click.Path(path_type=Path),
    help="Folder with worker files of the pipelines that jobs send to; by default `pipelines` next to SPEC.",
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
    """Run the jobs of SPEC until SIGTERM or SIGINT.

    The signal starts a graceful shutdown: the pod takes no more jobs, cancels running jobs and hands them back. A
    second signal stops it at once; its jobs are due again after its lease expires.

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
    form = set_up_log(process, log_format)
    find_pipeline = pipelines_of(scheduler, options.platform, pipelines, here(), today())
    patterns = PatternsFile(
        scheduler, lambda: resolve(scheduler.file, options.platform, scheduler.environment, here(), today())[0]
    )
    role = scheduler_role(scheduler, paths, find_pipeline, patterns, form)
    ctx.exit(run_pod(role, Start(process, credentials, address_of(listen))))


@command.command(name="list", short_help="List jobs with their state.")
@spec_argument
@spec_options
@json_option
def list_(options: SpecOptions, *, as_json: bool) -> None:
    """List registered jobs: state, due time and outcome of the last run.

    `--json` prints one object per line, with times in seconds since 1970 (Redis time).
    """
    from penstock.operating.job_table import table
    from penstock.operating.jobs import all_are_paused
    from penstock.terminal.output import print_json, print_table

    async def query(control: JobControl) -> Any:  # noqa: ANN401 - two values
        return await control.status(await control.names()), await control.all_paused()

    jobs, all_paused = _call(options, query)
    if as_json:
        for job in jobs:
            print_json(job.as_json())
        return
    if all_paused:
        print_note(all_are_paused(str(options.spec)))
    if jobs:
        print_table(table(jobs))
    else:
        print_note("no job is registered")


@command.command(name="why", short_help="Explain when a job runs next, and why not now.")
@spec_argument
@click.argument("job")
@spec_options
@json_option
@click.pass_context
def why(ctx: click.Context, options: SpecOptions, job: str, *, as_json: bool) -> None:
    """Explain when JOB runs next, and why not now. Exit code 1: the job is not registered."""
    from penstock.operating.jobs import explain
    from penstock.terminal.output import print_json

    scheduler, credentials = _resolved(options)

    async def query(control: JobControl) -> Any:  # noqa: ANN401 - two values
        return await control.limited((await control.status([job]))[0]), await control.all_paused()

    status, all_paused = _call_with(scheduler, credentials, query)
    lines = explain(scheduler, status, all_paused=all_paused)
    if as_json:
        print_json({**status.as_json(), "all_paused": all_paused, "why": lines})
    else:
        for line in lines:
            print_line(line)
    ctx.exit(INCOMPLETE if status.state == "unregistered" else 0)


@command.command(name="history", short_help="List the last runs of a job, with their errors.")
@spec_argument
@click.argument("job")
@spec_options
@json_option
@click.pass_context
def history(ctx: click.Context, options: SpecOptions, job: str, *, as_json: bool) -> None:
    """List the last runs of JOB, newest first, with the type and the place of their errors.

    `history` in the spec sets how many runs are kept, and for how long. `--json` prints one object per line, with times
    in seconds since 1970 (Redis time). Exit code 1: no run is kept, and the job is not registered.
    """
    from penstock.operating.job_table import history_table
    from penstock.terminal.output import print_json, print_table

    async def query(control: JobControl) -> Any:  # noqa: ANN401 - two values
        return await control.history(job), (await control.status([job]))[0]

    runs, status = _call(options, query)
    if not runs:
        print_note(f"no run of `{job}` is kept")
    elif as_json:
        for run in runs:
            print_json({"job": job, **run.as_json()})
    else:
        print_table(history_table(runs, status.now))
    ctx.exit(INCOMPLETE if not runs and status.state == "unregistered" else 0)


@command.command(name="run-now", short_help="Make a job due now.")
@spec_argument
@click.argument("job")
@spec_options
@click.pass_context
def run_now(ctx: click.Context, options: SpecOptions, job: str) -> None:
    """Make JOB due now. Its `overlap` decides what happens if it runs; a paused job stays unchanged."""
    texts = {
        0: "is not registered",
        1: "is due now",
        2: "is already running",
        3: "is paused; resume it first",
        4: "is running; it runs again right after (`overlap: wait`)",
        5: "is running; that run is cancelled, and the job runs again (`overlap: replace`)",
    }
    ctx.exit(_change(options, "run_now", [job], texts, success=(1, 4, 5)))


@command.command(name="pause", short_help="Pause jobs.")
@spec_argument
@click.argument("jobs", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Pause all jobs.")
@spec_options
@click.pass_context
def pause(ctx: click.Context, options: SpecOptions, jobs: tuple[str, ...], *, everything: bool) -> None:
    """Pause JOBS until they are resumed. Running jobs finish first. The pause survives restarts and rollouts."""
    texts = {0: "is not registered", 1: "is paused", 2: "is paused after its current run", 3: "was already paused"}
    texts_for_all = {1: "all jobs are paused; running jobs finish first", 3: "all jobs were already paused"}
    ctx.exit(_change(options, "pause", _names(jobs, everything=everything), texts, texts_for_all, success=(1, 2, 3)))


@command.command(name="resume", short_help="Resume paused jobs.")
@spec_argument
@click.argument("jobs", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="End `pause --all`; jobs paused by name stay paused.")
@spec_options
@click.pass_context
def resume(ctx: click.Context, options: SpecOptions, jobs: tuple[str, ...], *, everything: bool) -> None:
    """Resume paused JOBS at their due time, or now if it has passed."""
    texts = {0: "is not registered", 1: "is resumed", 2: "is resumed", 3: "was not paused"}
    texts_for_all = {1: "resumed all jobs except those paused by name", 3: "`pause --all` was not in force"}
    ctx.exit(_change(options, "resume", _names(jobs, everything=everything), texts, texts_for_all, success=(1, 2, 3)))


def _names(jobs: tuple[str, ...], *, everything: bool) -> Sequence[str]:
    if everything and jobs:
        raise CannotGoOn("JOBS and `--all` exclude each other", "leave one of them out")
    if not everything and not jobs:
        raise CannotGoOn("no job is named", "name jobs, or use `--all`")
    return ["*"] if everything else jobs


def _change(
    options: SpecOptions,
    change: Literal["pause", "resume", "run_now"],
    names: Sequence[str],
    texts: dict[int, str],
    texts_for_all: dict[int, str] | None = None,
    *,
    success: tuple[int, ...],
) -> int:
    """Change jobs, print the answer for each, and return the exit code. The texts are by answer."""
    answers = _call(options, lambda control: control.change(change, names))
    for name, answer in zip(names, answers, strict=True):
        line = texts_for_all[answer] if texts_for_all and name == "*" else f"`{name}` {texts[answer]}"
        (print_line if answer in success else print_note)(line)
    return 0 if all(answer in success for answer in answers) else INCOMPLETE


def _call(options: SpecOptions, call: Callable[[JobControl], Awaitable[T]]) -> T:
    return _call_with(*_resolved(options), call)


def _call_with(scheduler: ResolvedScheduler, credentials: Credentials, call: Callable[[JobControl], Awaitable[T]]) -> T:
    from penstock.operating import reach
    from penstock.operating.jobs import JobControl
    from penstock.pod.links import link_to

    async def connect_and_call() -> T:
        link = link_to(scheduler, credentials, "operator")
        try:
            return await call(JobControl(scheduler, link))
        finally:
            await link.close()

    return reach.run(connect_and_call())


def _resolved(options: SpecOptions) -> tuple[ResolvedScheduler, Credentials]:
    from penstock.scheduler.resolved import resolve

    file = find_spec(options.spec, options.platform)
    scheduler, outcome = resolve(file, options.platform, options.environment, here(), today())
    if scheduler is None:
        from penstock_spec import report

        if outcome is not None and outcome.count(Severity.ERROR):
            click.echo(report.render("text", outcome, painter(sys.stderr)), nl=False, err=True)
        raise CannotGoOn("the specs have errors", "see `penstock lint`")
    model, credentials = redis_of(options.redis, options.platform, scheduler.redis, os.environ)
    return (scheduler if model is None else scheduler.on(model)), credentials
