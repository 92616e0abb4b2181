"""`penstock tail`: new messages as they come."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from penstock.terminal.options import SpecOptions, json_option, spec_argument, spec_options
from penstock.terminal.output import aside, tell, tell_json

if TYPE_CHECKING:
    from penstock.operating.entry import Entry, Lens
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
    from penstock.operating.entry import Lens
    from penstock.operating.following import Follower
    from penstock.operating.paging import asking
    from penstock.operating.reach import Insistence, link_to

    lens = Lens(pipeline.spec, pipeline.folder)
    async with link_to(pipeline, credentials, "tail") as link:
        ask = Insistence(aside)
        offset = milliseconds(await ask(asking(link, "TIME"))) / 1000 - time.monotonic()
        follower = Follower(link, pipeline.keys.stream, ask)
        found = await follower.begin(last)
        aside(f"following `{pipeline.keys.stream}`; press Ctrl-C to stop")
        show = _json if as_json else _text
        show(found, lens, offset, bodies=bodies)
        async for page in follower.follow():
            show(page, lens, offset, bodies=bodies)


def _text(page: Sequence[Entry], lens: Lens, offset: float, *, bodies: bool) -> None:
    from penstock.operating.entry import pretty, shown_fields
    from penstock_spec.report.safe import safe
    from penstock_spec.values.display import span

    for entry in page:
        about = lens.look(entry.fields)
        age = span((time.monotonic() + offset) * 1000 - entry.time)
        tell(safe(f"{entry.id}  {age:>6}  {about.line}".rstrip()))
        if bodies:
            lines = shown_fields(entry.fields) if about.unreadable else pretty(about.value).splitlines()
            for line in lines:
                tell(f"  {line}")


def _json(page: Sequence[Entry], lens: Lens, offset: float, *, bodies: bool) -> None:
    from penstock.operating.entry import plain_fields

    for entry in page:
        about = lens.look(entry.fields)
        told: dict[str, object] = {
            "id": entry.id,
            "age_seconds": round(time.monotonic() + offset - entry.time / 1000, 3),
            "message": about.message,
            "fields": about.named,
            "unreadable": about.unreadable or None,
        }
        if bodies:
            told |= {"body": about.value, "entry": plain_fields(entry.fields)}
        tell_json(told)
