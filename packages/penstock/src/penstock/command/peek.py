"""`penstock peek`: show waiting and running messages by state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from penstock.terminal.console import painter
from penstock.terminal.options import SpecOptions, json_option, spec_argument, spec_options
from penstock.terminal.output import ENTRY_ID, INCOMPLETE, print_json, print_line, print_note, print_table
from penstock_spec.findings import CannotGoOn

if TYPE_CHECKING:
    from penstock.maintenance.measure import Measurement
    from penstock.operating.entry import EntryReader
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
    from penstock.operating.entry import EntryReader
    from penstock.operating.reach import link_to
    from penstock.operating.waiting import ALL, Peek

    reader = EntryReader(pipeline.spec, pipeline.folder)
    count = 0
    async with link_to(pipeline, credentials, "peek") as link:
        measured = await measure(link, pipeline.keys)
        now = await _now(link)
        for state in ALL:
            messages = await Peek(link, pipeline.keys).first(state, limit) if state in states else []
            if messages and not as_json:
                print_line("\n" * bool(count) + painter()(_heading(state, measured, pipeline), "bold"))
            _print(messages, reader, now, bodies=bodies, as_json=as_json)
            count += len(messages)
    if not measured.groups:
        print_note(f"the group `{pipeline.keys.group}` does not exist; a worker or the janitor creates it")
    if not count:
        print_note(f"no message of `{pipeline.name}` is {states[0] if len(states) == 1 else 'waiting or running'}")
    return 0 if count else INCOMPLETE


async def _one(pipeline: ResolvedPipeline, credentials: Credentials, id_: str, *, bodies: bool, as_json: bool) -> int:
    from penstock.operating.entry import EntryReader
    from penstock.operating.reach import link_to
    from penstock.operating.waiting import Peek

    async with link_to(pipeline, credentials, "peek") as link:
        now = await _now(link)
        message = await Peek(link, pipeline.keys).one(id_)
    if message is None:
        print_note(f"no message `{id_}`: it is done, dead (see `penstock dlq list`), or never existed")
        return INCOMPLETE
    reader = EntryReader(pipeline.spec, pipeline.folder)
    if as_json:
        print_json(_as_json(message, reader, now, bodies=bodies))
    else:
        print_line(f"state:    {message.state}")
        _blocks([message], reader, now, bodies=bodies)
    return 0


async def _now(link: Link) -> int:
    from penstock.maintenance.replies import milliseconds

    return milliseconds(await link.call("TIME"))


def _heading(state: str, measured: Measurement, pipeline: ResolvedPipeline) -> str:
    """The state, and how many messages are in it."""
    counts = {
        "new": measured.new(until_done=pipeline.spec.stream.retention.keeps_nothing),
        "running": measured.running,
        "ready": measured.ready,
        "suspect": measured.suspect,
        "parked": measured.parked,
        "delayed": measured.delayed,
    }
    return f"{state}: {'unknown' if counts[state] is None else counts[state]}"


def _print(messages: Sequence[Waiting], reader: EntryReader, now: int, *, bodies: bool, as_json: bool) -> None:
    from penstock.operating.table import Column, Table

    if as_json:
        for message in messages:
            print_json(_as_json(message, reader, now, bodies=bodies))
    elif bodies:
        _blocks(messages, reader, now, bodies=True)
    elif messages:
        names = HEADINGS[messages[0].state]
        rows = [[_cells(message, now).get(name, "-") for name in names] for message in messages]
        columns = [Column(name, right=name not in ("id", "message", "consumer")) for name in names]
        print_table(Table(columns, rows, [_fields_line(message, reader) for message in messages], heading="fields"))


def _blocks(messages: Sequence[Waiting], reader: EntryReader, now: int, *, bodies: bool) -> None:
    from penstock.operating.entry import pretty, shown_fields
    from penstock_spec.report.safe import safe

    for message in messages:
        for name, value in {**_cells(message, now), "fields": _fields_line(message, reader)}.items():
            if value and name not in NOT_IN_BLOCKS.get(message.state, ()):
                print_line(safe(f"{name + ':':<9} {value}"))
        if bodies and message.entry:
            view = reader.read(message.entry.fields)
            lines = shown_fields(message.entry.fields) if view.unreadable else pretty(view.value).splitlines()
            for line in lines:
                print_line(f"  {line}")


def _fields_line(message: Waiting, reader: EntryReader) -> str:
    if message.entry is None:
        return f"({message.trouble or 'deleted from the stream'})"
    return reader.read(message.entry.fields).line


def _cells(message: Waiting, now: int) -> dict[str, str]:
    """The known values, by heading."""
    from penstock_spec.values.display import span

    cells = {"message" if message.state == "delayed" else "id": message.id}
    if message.state != "delayed":
        cells["age"] = span(now - int(message.id.partition("-")[0]))
    if message.pending is not None:
        cells["attempts"] = cells["attempt"] = "-" if message.attempts is None else str(message.attempts)
        cells["idle"] = span(message.pending.idle)
        cells["consumer"] = message.pending.owner
    if message.due is not None:
        cells["due in"] = span(message.due - now) if message.due > now else "now"
    return cells


def _as_json(message: Waiting, reader: EntryReader, now: int, *, bodies: bool) -> dict[str, object]:
    from penstock.operating.entry import plain_fields

    view = None if message.entry is None else reader.read(message.entry.fields)
    fields: dict[str, object] = {
        "state": message.state,
        "id": message.id,
        "deleted": message.entry is None and not message.trouble,
        "message": view and view.message,
        "attempts": message.attempts,
        "idle_seconds": None if message.pending is None else message.pending.idle / 1000,
        "consumer": None if message.pending is None or message.pending.owner.startswith("~") else message.pending.owner,
        "due_in_seconds": None if message.due is None else (message.due - now) / 1000,
        "fields": {} if view is None else view.named,
        "unreadable": message.trouble or (view and view.unreadable) or None,
    }
    if bodies:
        fields |= {"body": view and view.value, "entry": plain_fields(message.entry.fields) if message.entry else None}
    return fields
