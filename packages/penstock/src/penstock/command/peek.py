"""`penstock peek`: messages that wait, by state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from penstock.terminal.console import painter
from penstock.terminal.options import SpecOptions, json_option, spec_argument, spec_options
from penstock.terminal.output import ENTRY_ID, INCOMPLETE, aside, tell, tell_json, tell_table
from penstock_spec.findings import CannotGoOn

if TYPE_CHECKING:
    from penstock.maintenance.measure import Measurement
    from penstock.operating.entry import Lens
    from penstock.operating.waiting import Waiting
    from penstock.resolved import ResolvedPipeline
    from penstock.wire.credentials import Credentials
    from penstock.wire.link import Link

STATES = ("new", "running", "ready", "suspect", "parked", "delayed")
HEADINGS = {
    "new": ("id", "age"),
    "running": ("id", "age", "attempt", "idle", "consumer"),
    "ready": ("id", "age", "attempts", "idle"),
    "suspect": ("id", "age", "attempts", "idle"),
    "parked": ("id", "age", "attempts", "due in"),
    "delayed": ("message", "due in"),
}
NOT_IN_BLOCKS: Mapping[str, tuple[str, ...]] = {
    "running": ("attempts",),
    **dict.fromkeys(("ready", "suspect", "parked"), ("attempt", "consumer")),
}


@click.command(name="peek", short_help="Show waiting and running messages, without consuming any.")
@spec_argument
@click.argument("id_", metavar="[ID]", required=False)
@click.option("--state", type=click.Choice(STATES), help="Show this state only.")
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True, help="Maximum per state.")
@click.option("--bodies", is_flag=True, help="Show bodies as well.")
@json_option
@spec_options
@click.pass_context
def command(
    ctx: click.Context,
    options: SpecOptions,
    id_: str | None,
    state: str | None,
    limit: int,
    bodies: bool,
    as_json: bool,
) -> None:
    """Show waiting and running messages of SPEC by state, or the message with ID. Nothing is consumed or changed.

    ID is the id of an entry, or of a delayed message. The output shows attempts, the time since the last delivery
    (`idle`), the due time, the correlation and `message.log_fields`; with `--bodies` the body as well. `--json` prints
    one object per line.

    \b
    Examples:
      penstock peek media-cluster --env production
      penstock peek media-cluster --state parked --env production
      penstock peek media-cluster 1767225600000-0 --bodies --env production
    """
    from penstock.message.ulid import is_ulid
    from penstock.operating import reach

    if id_ is not None and not ENTRY_ID.fullmatch(id_) and not is_ulid(id_):
        raise CannotGoOn(f"`{id_}` is not a message id", "`penstock peek` without an ID lists messages")
    if id_ is not None and state is not None:
        raise CannotGoOn("an ID and `--state` exclude each other", "leave one of them out")
    pipeline, credentials = options.pipeline()
    if id_ is None:
        states = (state,) if state else STATES
        ctx.exit(reach.run(_states(pipeline, credentials, states, limit, bodies=bodies, as_json=as_json)))
    ctx.exit(reach.run(_one(pipeline, credentials, id_, bodies=bodies, as_json=as_json)))


async def _states(
    pipeline: ResolvedPipeline,
    credentials: Credentials,
    states: Sequence[str],
    limit: int,
    *,
    bodies: bool,
    as_json: bool,
) -> int:
    from penstock.maintenance.measure import measure
    from penstock.operating.entry import Lens
    from penstock.operating.reach import link_to
    from penstock.operating.waiting import ALL, Peek

    lens = Lens(pipeline.spec, pipeline.folder)
    told = 0
    async with link_to(pipeline, credentials, "peek") as link:
        measured = await measure(link, pipeline.keys)
        now = await _now(link)
        for state in ALL:
            found = await Peek(link, pipeline.keys).first(state, limit) if state in states else []
            if found and not as_json:
                tell("\n" * bool(told) + painter()(_heading(state, measured, pipeline), "bold"))
            _tell(found, lens, now, bodies=bodies, as_json=as_json)
            told += len(found)
    if not measured.groups:
        aside(f"the group `{pipeline.keys.group}` does not exist; a worker or the janitor creates it")
    if not told:
        aside(f"no message of `{pipeline.name}` is {states[0] if len(states) == 1 else 'waiting or running'}")
    return 0 if told else INCOMPLETE


async def _one(pipeline: ResolvedPipeline, credentials: Credentials, id_: str, *, bodies: bool, as_json: bool) -> int:
    from penstock.operating.entry import Lens
    from penstock.operating.reach import link_to
    from penstock.operating.waiting import Peek

    async with link_to(pipeline, credentials, "peek") as link:
        now = await _now(link)
        one = await Peek(link, pipeline.keys).one(id_)
    if one is None:
        aside(f"no message `{id_}`: it is done, dead (see `penstock dlq list`), or never existed")
        return INCOMPLETE
    lens = Lens(pipeline.spec, pipeline.folder)
    if as_json:
        tell_json(_told(one, lens, now, bodies=bodies))
    else:
        tell(f"state:    {one.state}")
        _blocks([one], lens, now, bodies=bodies)
    return 0


async def _now(link: Link) -> int:
    from penstock.maintenance.replies import milliseconds

    return milliseconds(await link.call("TIME"))


def _heading(state: str, measured: Measurement, pipeline: ResolvedPipeline) -> str:
    """How many there are in all."""
    counts = {
        "new": measured.new(until_done=pipeline.spec.stream.retention.keeps_nothing),
        "running": measured.running,
        "ready": measured.ready,
        "suspect": measured.suspect,
        "parked": measured.parked,
        "delayed": measured.delayed,
    }
    return f"{state}: {'unknown' if counts[state] is None else counts[state]}"


def _tell(found: Sequence[Waiting], lens: Lens, now: int, *, bodies: bool, as_json: bool) -> None:
    from penstock.operating.table import Column, Table

    if as_json:
        for one in found:
            tell_json(_told(one, lens, now, bodies=bodies))
    elif bodies:
        _blocks(found, lens, now, bodies=True)
    elif found:
        names = HEADINGS[found[0].state]
        rows = [[_cells(one, now).get(name, "-") for name in names] for one in found]
        columns = [Column(name, right=name not in ("id", "message", "consumer")) for name in names]
        tell_table(Table(columns, rows, [_about(one, lens) for one in found], heading="fields"))


def _blocks(found: Sequence[Waiting], lens: Lens, now: int, *, bodies: bool) -> None:
    from penstock.operating.entry import pretty, shown_fields
    from penstock_spec.report.safe import safe

    for one in found:
        for name, value in {**_cells(one, now), "fields": _about(one, lens)}.items():
            if value and name not in NOT_IN_BLOCKS.get(one.state, ()):
                tell(safe(f"{name + ':':<9} {value}"))
        if bodies and one.entry:
            about = lens.look(one.entry.fields)
            lines = shown_fields(one.entry.fields) if about.unreadable else pretty(about.value).splitlines()
            for line in lines:
                tell(f"  {line}")


def _about(one: Waiting, lens: Lens) -> str:
    if one.entry is None:
        return f"({one.trouble or 'deleted from the stream'})"
    return lens.look(one.entry.fields).line


def _cells(one: Waiting, now: int) -> dict[str, str]:
    """What is known, by its heading."""
    from penstock_spec.values.display import span

    cells = {"message" if one.state == "delayed" else "id": one.id}
    if one.state != "delayed":
        cells["age"] = span(now - int(one.id.partition("-")[0]))
    if one.pending is not None:
        cells["attempts"] = cells["attempt"] = "-" if one.attempts is None else str(one.attempts)
        cells["idle"] = span(one.pending.idle)
        cells["consumer"] = one.pending.owner
    if one.due is not None:
        cells["due in"] = span(one.due - now) if one.due > now else "now"
    return cells


def _told(one: Waiting, lens: Lens, now: int, *, bodies: bool) -> dict[str, object]:
    from penstock.operating.entry import plain_fields

    about = None if one.entry is None else lens.look(one.entry.fields)
    told: dict[str, object] = {
        "state": one.state,
        "id": one.id,
        "deleted": one.entry is None and not one.trouble,
        "message": about and about.message,
        "attempts": one.attempts,
        "idle_seconds": None if one.pending is None else one.pending.idle / 1000,
        "consumer": None if one.pending is None or one.pending.owner.startswith("~") else one.pending.owner,
        "due_in_seconds": None if one.due is None else (one.due - now) / 1000,
        "fields": {} if about is None else about.named,
        "unreadable": one.trouble or (about and about.unreadable) or None,
    }
    if bodies:
        told |= {"body": about and about.value, "entry": plain_fields(one.entry.fields) if one.entry else None}
    return told
