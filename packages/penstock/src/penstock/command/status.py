"""`penstock status`: show the state of an environment's pipelines."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from penstock.terminal.console import coloured, painter
from penstock.terminal.options import find_spec, json_option, where_options
from penstock.terminal.output import INCOMPLETE, columns, print_json, print_line, print_note
from penstock.terminal.resolving import resolve_pipelines
from penstock_spec.findings import CannotGoOn

if TYPE_CHECKING:
    from penstock.operating.status import Status
    from penstock.resolved import ResolvedPipeline
    from penstock.wire.credentials import Credentials

INTERVAL = 1.0
"""Seconds over which throughput is measured, and between two refreshes of `--watch`."""
SHORTEST_INTERVAL = 0.1
HOME, TO_END_OF_LINE, TO_END = "\x1b[H", "\x1b[K", "\x1b[J"


@click.command(name="status", short_help="Show the state of pipelines: backlog, dead letters, throughput.")
@click.argument("specs", nargs=-1, metavar="[SPEC]...", type=click.Path(path_type=Path))
@click.option(
    "--watch",
    metavar="[SECONDS]",
    is_flag=False,
    flag_value=str(INTERVAL),
    help="Refresh every second, or at this interval, until Ctrl-C.",
)
@json_option
@where_options
@click.pass_context
def command(
    ctx: click.Context,
    specs: tuple[Path, ...],
    watch: str | None,
    as_json: bool,
    environment: str | None,
    redis: str | None,
    platform: Path | None,
) -> None:
    """Show the state of an environment's pipelines, all or those of SPECs. Nothing is changed.

    \b
    new        not delivered yet
    running    owned by consumers
    ready      due again or given back; waiting for a worker
    suspect    its worker was lost; will run isolated
    parked     failed; waiting for the due time of its retry
    delayed    sent with a delay; not in the stream yet
    dead       dead letters
    oldest     age of the oldest message that could run now
    consumers  consumers in the group
    done/s     messages done per second

    `done/s` is computed from Redis's counters, over one second or between two refreshes. It is `-` at the first
    refresh, with Redis older than 7, and with `stream.backlog.when_full: drop-oldest`, where dropped messages look like
    finished ones. Dead letters do not count as done.

    Elsewhere, `-` means unknown. `--json` prints one document, or with `--watch` one per line.

    \b
    Examples:
      penstock status --env production
      penstock status media-cluster --env production --watch 5
    """
    from penstock.operating import reach

    every = None if watch is None else _seconds(watch)
    files = tuple(find_spec(spec, platform) for spec in specs)
    pipelines, credentials = resolve_pipelines(files, platform, environment, redis)
    if every is None:
        ctx.exit(reach.run(_once(pipelines, credentials, as_json=as_json)))
    try:
        reach.run(_watch(pipelines, credentials, every, as_json=as_json))
    except KeyboardInterrupt:
        ctx.exit(0)


def _seconds(text: str) -> float:
    try:
        seconds = float(text.removesuffix("s"))
    except ValueError:
        raise CannotGoOn(
            f"`--watch {text}` is not a number of seconds", f"write `--watch 2 {text}`, or `--watch` at the end"
        ) from None
    if not SHORTEST_INTERVAL <= seconds <= 86_400:  # noqa: PLR2004 - a day
        raise CannotGoOn(
            f"`--watch {text}` is not between {SHORTEST_INTERVAL} seconds and a day", "choose an interval between them"
        )
    return seconds


async def _once(pipelines: Sequence[ResolvedPipeline], credentials: Credentials, *, as_json: bool) -> int:
    from penstock.operating.status import StatusPoller, links_to

    async with links_to(pipelines, credentials) as links:
        poller = StatusPoller(pipelines, links)
        rows = await poller.poll()
        _raise_if_all_failed(rows)
        await asyncio.sleep(INTERVAL)
        rows = await poller.poll()
    if as_json:
        document = {"environment": pipelines[0].environment, "pipelines": [one.as_json() for one in rows]}
        print_line(json.dumps(document, indent=2))
    else:
        for line in _lines(rows):
            print_line(line)
    for line in _troubles(rows):
        print_note(line)
    return INCOMPLETE if any(one.trouble for one in rows) else 0


async def _watch(
    pipelines: Sequence[ResolvedPipeline], credentials: Credentials, every: float, *, as_json: bool
) -> None:
    from penstock.operating.status import StatusPoller, links_to

    draws = not as_json and coloured(sys.stdout)
    async with links_to(pipelines, credentials) as links:
        poller = StatusPoller(pipelines, links)
        _raise_if_all_failed(rows := await poller.poll())
        first = True
        while True:
            if as_json:
                print_json({"environment": pipelines[0].environment, "pipelines": [one.as_json() for one in rows]})
            elif draws:
                _draw([*_lines(rows), *_folded(_troubles(rows))], first=first)
            else:
                print_line("\n".join([*([] if first else [""]), *_lines(rows)]))
                for line in _troubles(rows):
                    print_note(line)
            first = False
            await asyncio.sleep(every)
            rows = await poller.poll()


def _raise_if_all_failed(rows: Sequence[Status]) -> None:
    """If no pipeline could be read, raise the first error instead of printing an empty table."""
    if all(one.trouble for one in rows) and rows[0].trouble:
        raise rows[0].trouble


def _draw(lines: list[str], *, first: bool) -> None:
    """Redraw the screen. If lines do not fit, the last line shows how many are left out."""
    fits = max(shutil.get_terminal_size().lines - 1, 2)
    if len(lines) > fits:
        lines = [*lines[: fits - 1], f"... and {len(lines) - fits + 1} more lines"]
    text = "".join(f"{line}{TO_END_OF_LINE}\n" for line in lines)
    click.echo(f"{HOME}{TO_END if first else ''}{text}{TO_END}", nl=False)


def _folded(lines: Sequence[str]) -> list[str]:
    from penstock.operating.table import folded

    return [part for line in lines for part in folded(line, columns())]


def _lines(statuses: Sequence[Status]) -> list[str]:
    from penstock.operating.table import Column, Table

    names = ("new", "running", "ready", "suspect", "parked", "delayed", "dead", "oldest", "consumers", "done/s")
    table = Table(
        [Column(name, right=True) for name in names],
        [_cells(one) for one in statuses],
        [one.pipeline.name for one in statuses],
        heading="pipeline",
        leads=True,
    )
    heading, *rows = table.lines(columns())
    return [painter()(heading, "bold"), *rows]


def _cells(status: Status) -> list[str]:
    from penstock_spec.values.display import count, rate, span

    measured = status.measured
    if measured is None:
        return ["-"] * 10
    of_group = [measured.running, measured.ready, measured.suspect, measured.parked] if status.has_group else [None] * 4
    return [
        *map(count, (status.new, *of_group, measured.delayed, measured.dead)),
        span(measured.oldest) if measured.oldest else "-",
        count(measured.consumers if status.has_group else None),
        rate(status.done),
    ]


def _troubles(rows: Sequence[Status]) -> list[str]:
    """Lines below the table: errors, missing and other groups, expired leases, full dead letters."""
    from penstock_spec.values.display import many

    lines = []
    for one in rows:
        spec = one.pipeline.spec
        if one.trouble:
            lines.append(f"{spec.name}: state unknown: {one.trouble}")
        elif not one.has_group:
            lines.append(
                f"{spec.name}: the group `{spec.stream.group}` does not exist; a worker or the janitor creates it"
            )
        elif one.measured:
            if one.measured.expired:
                expired = many(one.measured.expired, "consumer")
                lines.append(f"{spec.name}: {expired} with an expired lease, not taken over yet")
            if (most := spec.dead_letter.limit.length) is not None and one.measured.dead >= most:
                full = f"{one.measured.dead} dead letters reach `dead_letter.limit`"
                lines.append(f"{spec.name}: {full}; messages are retried, not buried")
            if one.measured.groups > 1 and spec.stream.retention.keeps_nothing:
                groups, stay = (
                    many(one.measured.groups, "group"),
                    many(one.measured.finished, "finished message"),
                )
                until = f"until `{spec.stream.group}` is the only one"
                lines.append(f"{spec.name}: {groups} read `{spec.stream.key}`; it keeps {stay} {until}")
    return lines
