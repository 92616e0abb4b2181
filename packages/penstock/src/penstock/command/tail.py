"""`penstock tail`: follow new messages."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from penstock.terminal.options import SpecOptions, json_option, spec_argument, spec_options
from penstock.terminal.output import print_json, print_line, print_note

if TYPE_CHECKING:
    from penstock.operating.entry import Entry, EntryReader
    from penstock.resolved import ResolvedPipeline
    from penstock.wire.credentials import Credentials


@click.command(name="tail", short_help="Follow new messages, without consuming any.")
@spec_argument
@click.option("-n", "--last", type=click.IntRange(0, 1000), default=0, help="Start with this many existing messages.")
@click.option("--bodies", is_flag=True, help="Show bodies as well.")
@json_option
@spec_options
@click.pass_context
def command(
    ctx: click.Context,
    options: SpecOptions,
    last: int,
    bodies: bool,
    as_json: bool,
) -> None:
    """Follow new messages of SPEC until Ctrl-C. No message is consumed: workers receive them all.

    The output shows id, age, the correlation and `message.log_fields`; with `--bodies` the body as well. Messages that
    are finished and deleted very quickly may be missed. Delayed messages appear when they enter the stream. `--json`
    prints one object per line.

    \b
    Examples:
      penstock tail media-cluster --env production
      penstock tail media-cluster --env dev --last 10 --bodies
    """
    from penstock.operating import reach

    pipeline, credentials = options.pipeline()
    try:
        reach.run(_tail(pipeline, credentials, last, bodies=bodies, as_json=as_json))
    except KeyboardInterrupt:
        ctx.exit(0)


async def _tail(
    pipeline: ResolvedPipeline, credentials: Credentials, last: int, *, bodies: bool, as_json: bool
) -> None:
    from penstock.maintenance.replies import milliseconds
    from penstock.operating.entry import EntryReader
    from penstock.operating.following import Follower
    from penstock.operating.paging import query
    from penstock.operating.reach import Retrier, link_to

    reader = EntryReader(pipeline.spec, pipeline.folder)
    async with link_to(pipeline, credentials, "tail") as link:
        ask = Retrier(print_note)
        offset = milliseconds(await ask(query(link, "TIME"))) / 1000 - time.monotonic()
        follower = Follower(link, pipeline.keys.stream, ask)
        page = await follower.begin(last)
        print_note(f"following `{pipeline.keys.stream}`; press Ctrl-C to stop")
        show = _json if as_json else _text
        show(page, reader, offset, bodies=bodies)
        async for page in follower.follow():
            show(page, reader, offset, bodies=bodies)


def _text(page: Sequence[Entry], reader: EntryReader, offset: float, *, bodies: bool) -> None:
    from penstock.operating.entry import pretty, shown_fields
    from penstock_spec.report.safe import safe
    from penstock_spec.values.display import span

    for entry in page:
        view = reader.read(entry.fields)
        age = span((time.monotonic() + offset) * 1000 - entry.time)
        print_line(safe(f"{entry.id}  {age:>6}  {view.line}".rstrip()))
        if bodies:
            lines = shown_fields(entry.fields) if view.unreadable else pretty(view.value).splitlines()
            for line in lines:
                print_line(f"  {line}")


def _json(page: Sequence[Entry], reader: EntryReader, offset: float, *, bodies: bool) -> None:
    from penstock.operating.entry import plain_fields

    for entry in page:
        view = reader.read(entry.fields)
        fields: dict[str, object] = {
            "id": entry.id,
            "age_seconds": round(time.monotonic() + offset - entry.time / 1000, 3),
            "message": view.message,
            "fields": view.named,
            "unreadable": view.unreadable or None,
        }
        if bodies:
            fields |= {"body": view.value, "entry": plain_fields(entry.fields)}
        print_json(fields)
