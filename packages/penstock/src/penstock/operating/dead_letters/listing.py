"""Prints dead letters as text or JSON: `penstock dlq list` and `penstock dlq show`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from penstock.message.penstock_fields import TRACEPARENT
from penstock.message.ulid import is_ulid
from penstock.observe.traces import read
from penstock.operating.dead_letters.choice import MOST_SEARCHED, DeadLetterScan, Filters
from penstock.operating.dead_letters.dead_letter import DeadLetter
from penstock.operating.entry import EntryReader, MessageView, plain_fields, pretty, shown_fields
from penstock.operating.reach import Retrier, link_to
from penstock.operating.table import Column, Table
from penstock.resolved import ResolvedPipeline
from penstock.terminal.console import painter
from penstock.terminal.output import INCOMPLETE, print_json, print_line, print_note, print_table
from penstock.wire.credentials import Credentials
from penstock.worker.dead_letter import penstock_field
from penstock_spec.report.safe import safe
from penstock_spec.values.display import many, moment, span

COLUMNS = (Column("id"), Column("age", right=True), Column("reason"), Column("attempts", right=True), Column("error"))


async def list_letters(  # noqa: PLR0913 - the options of the verb
    pipeline: ResolvedPipeline,
    credentials: Credentials,
    filters: Filters,
    limit: int,
    *,
    oldest_first: bool,
    as_json: bool,
) -> int:
    """Print the selected dead letters, at most `limit`, and return the exit code."""
    listed: list[tuple[DeadLetter, MessageView]] = []
    reader = EntryReader(pipeline.spec, pipeline.folder)
    async with link_to(pipeline, credentials, "dlq") as link:
        scan = DeadLetterScan(link, pipeline.keys, reader, ask=Retrier(print_note))
        now, more = await scan.now(), False
        async for letter in scan.matching(filters, now, newest_first=not oldest_first):
            if len(listed) == limit:
                more = True
                break
            listed.append((letter, reader.read(letter.original)))
            if as_json:
                print_json(brief(letter, now) | _of_body(listed[-1][1]))
    if listed and not as_json:
        print_table(table(listed, now))
    for line in notes(scan, pipeline):
        print_note(line)
    if more:
        print_note(f"there are more; raise `--limit` above {limit} to see them")
    if not listed:
        print_note(nothing(pipeline, scan.counts.letters))
    return 0 if listed else INCOMPLETE


def nothing(pipeline: ResolvedPipeline, passed: int) -> str:
    """Why nothing was selected."""
    if not passed:
        return f"`{pipeline.name}` has no such dead letters"
    return f"{many(passed, 'dead letter')} {'was' if passed == 1 else 'were'} checked, and none matches"


def notes(scan: DeadLetterScan, pipeline: ResolvedPipeline) -> Iterator[str]:
    """Notes on dead letters that were skipped."""
    if scan.counts.others:
        yield (
            f"skipped {many(scan.counts.others, 'dead letter')} in `{pipeline.keys.dead}` of other streams or groups; "
            "name the spec of their pipeline"
        )
    for id_ in scan.counts.missing:
        yield f"no dead letter `{id_}`"


def table(listed: Sequence[tuple[DeadLetter, MessageView]], now: int) -> Table:
    """One row per dead letter, with the fields that may be shown."""
    rows = [
        [
            letter.id,
            span(now - letter.time),
            letter.reason or "-",
            "-" if letter.attempts is None else str(letter.attempts),
            letter.kind or "-",
        ]
        for letter, _ in listed
    ]
    return Table(COLUMNS, rows, [view.line for _, view in listed], heading="fields")


def brief(letter: DeadLetter, now: int) -> dict[str, object]:
    """The values of a dead letter that may be shown without its body."""
    return {
        "id": letter.id,
        "age_seconds": (now - letter.time) / 1000,
        "reason": letter.reason or None,
        "error_type": letter.kind or None,
        "attempts": letter.attempts,
        "entry": letter.record.get("id"),
        "deaths": len(letter.deaths),
    }


def _of_body(view: MessageView) -> dict[str, object]:
    return {"message": view.message, "fields": view.named, "unreadable": view.unreadable or None}


async def show_letter(pipeline: ResolvedPipeline, credentials: Credentials, id_: str, *, as_json: bool) -> int:
    """Print one dead letter completely, and return the exit code. `id_` is its id, or that of its message."""
    reader = EntryReader(pipeline.spec, pipeline.folder)
    async with link_to(pipeline, credentials, "dlq") as link:
        scan = DeadLetterScan(link, pipeline.keys, reader, ask=Retrier(print_note))
        now = await scan.now()
        if is_ulid(id_):
            letters = [letter async for letter in scan.of_message(id_)]
            if not letters:
                print_note(f"no dead letter of message `{id_}` among the newest {MOST_SEARCHED:,}")
        else:
            letters = [letter async for letter in scan.named([id_])]
    for line in notes(scan, pipeline):
        print_note(line)
    for letter in letters:
        view = reader.read(letter.original)
        if as_json:
            print_line(json.dumps(_full_json(letter, view, now), indent=2))
        else:
            for line in _full_text(letter, view, now):
                print_line(line)
    return 0 if letters else INCOMPLETE


def _full_json(letter: DeadLetter, view: MessageView, now: int) -> dict[str, object]:
    deaths = [
        {"entry": one.id, "reason": one.reason, "error": one.error, "attempts": one.attempts, "at": moment(one.at)}
        for one in letter.deaths
    ]
    return brief(letter, now) | {
        "message": view.message,
        "error": letter.error or None,
        "died": moment(letter.died),
        "consumer": letter.record.get("consumer"),
        "group": letter.record.get("group"),
        "stream": letter.record.get("stream"),
        "deaths": deaths,
        "fields": plain_fields(letter.original),
        "body": view.value,
        "unreadable": view.unreadable or None,
    }


def _full_text(letter: DeadLetter, view: MessageView, now: int) -> Iterator[str]:
    paint = painter()
    values = {
        "id": letter.id,
        "died": f"{moment(letter.died)}, {span(now - letter.time)} ago",
        "reason": letter.reason,
        "error": letter.error,
        "attempts": "" if letter.attempts is None else str(letter.attempts),
        "consumer": letter.record.get("consumer", ""),
        "entry": letter.record.get("id", ""),
        "stream": letter.record.get("stream", ""),
        "group": letter.record.get("group", ""),
        "message": view.message or "",
        "trace": _trace(letter),
    }
    for name, value in values.items():
        if value:
            yield f"{paint(f'{name:<9}', 'bold')} {safe(value)}"
    earlier = letter.deaths[:-1] if letter.record else letter.deaths
    if earlier:
        yield ""
        yield paint("earlier deaths", "bold")
        for one in earlier:
            yield safe(f"  {moment(one.at)}  {one.reason}, attempts: {one.attempts}, entry {one.id}: {one.error}")
    yield ""
    yield paint("fields", "bold")
    for line in shown_fields(letter.original):
        yield f"  {line}"
    yield ""
    if view.unreadable:
        yield f"{paint('body', 'bold')} cannot be read: {safe(view.unreadable)}"
    else:
        yield paint("body", "bold")
        yield from (f"  {line}" for line in pretty(view.value).splitlines())


def _trace(letter: DeadLetter) -> str:
    trace = read(penstock_field(letter.original, TRACEPARENT))
    return "" if trace is None else trace.trace_id
