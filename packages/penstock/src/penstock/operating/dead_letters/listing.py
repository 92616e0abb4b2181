"""Dead letters on a terminal, and for machines: `penstock dlq list` and `penstock dlq show`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from penstock.message.penstock_fields import TRACEPARENT
from penstock.observe.traces import read
from penstock.operating.dead_letters.choice import Filters, Walk
from penstock.operating.dead_letters.dead_letter import DeadLetter
from penstock.operating.entry import About, Lens, plain_fields, pretty, shown_fields
from penstock.operating.reach import Insistence, link_to
from penstock.operating.table import Column, Table
from penstock.resolved import ResolvedPipeline
from penstock.terminal.console import painter
from penstock.terminal.output import INCOMPLETE, aside, tell, tell_json, tell_table
from penstock.wire.credentials import Credentials
from penstock.worker.dead_letter import penstock_field
from penstock_spec.report.safe import safe
from penstock_spec.values.display import many, moment, span

COLUMNS = (Column("id"), Column("age", right=True), Column("reason"), Column("attempts", right=True), Column("error"))


async def list_letters(  # noqa: PLR0913 - what the verb was given
    pipeline: ResolvedPipeline,
    credentials: Credentials,
    filters: Filters,
    limit: int,
    *,
    oldest_first: bool,
    as_json: bool,
) -> int:
    """Print some dead letters, and return the exit code."""
    found: list[tuple[DeadLetter, About]] = []
    lens = Lens(pipeline.spec, pipeline.folder)
    async with link_to(pipeline, credentials, "dlq") as link:
        walk = Walk(link, pipeline.keys, lens, ask=Insistence(aside))
        now, more = await walk.now(), False
        async for letter in walk.chosen(filters, now, newest_first=not oldest_first):
            if len(found) == limit:
                more = True
                break
            found.append((letter, lens.look(letter.original)))
            if as_json:
                tell_json(brief(letter, now) | _of_body(found[-1][1]))
    if found and not as_json:
        tell_table(table(found, now))
    for line in notes(walk, pipeline):
        aside(line)
    if more:
        aside(f"there are more; raise `--limit` above {limit} to see them")
    if not found:
        aside(nothing(pipeline, walk.seen.letters))
    return 0 if found else INCOMPLETE


def nothing(pipeline: ResolvedPipeline, passed: int) -> str:
    """Why nothing was selected."""
    if not passed:
        return f"`{pipeline.name}` has no such dead letters"
    return f"{many(passed, 'dead letter')} {'was' if passed == 1 else 'were'} looked at, and none is meant"


def notes(walk: Walk, pipeline: ResolvedPipeline) -> Iterator[str]:
    """What was left out."""
    if walk.seen.others:
        yield (
            f"{many(walk.seen.others, 'letter')} under `{pipeline.keys.dead}` died in other streams or groups, and "
            "are left alone; name the spec of their pipeline"
        )
    for id_ in walk.seen.missing:
        yield f"there is no dead letter `{id_}`"


def table(found: Sequence[tuple[DeadLetter, About]], now: int) -> Table:
    """A line a letter, and the fields that may be shown."""
    rows = [
        [
            letter.id,
            span(now - letter.time),
            letter.reason or "-",
            "-" if letter.attempts is None else str(letter.attempts),
            letter.kind or "-",
        ]
        for letter, _ in found
    ]
    return Table(COLUMNS, rows, [about.line for _, about in found], heading="fields")


def brief(letter: DeadLetter, now: int) -> dict[str, object]:
    """What may be shown without the body."""
    return {
        "id": letter.id,
        "age_seconds": (now - letter.time) / 1000,
        "reason": letter.reason or None,
        "error_type": letter.kind or None,
        "attempts": letter.attempts,
        "entry": letter.told.get("id"),
        "deaths": len(letter.story),
    }


def _of_body(about: About) -> dict[str, object]:
    return {"message": about.message, "fields": about.named, "unreadable": about.unreadable or None}


async def show_letter(pipeline: ResolvedPipeline, credentials: Credentials, id_: str, *, as_json: bool) -> int:
    """Print all of one dead letter, and return the exit code."""
    lens = Lens(pipeline.spec, pipeline.folder)
    async with link_to(pipeline, credentials, "dlq") as link:
        walk = Walk(link, pipeline.keys, lens, ask=Insistence(aside))
        now = await walk.now()
        found = [letter async for letter in walk.named([id_])]
    for line in notes(walk, pipeline):
        aside(line)
    for letter in found:
        about = lens.look(letter.original)
        if as_json:
            tell(json.dumps(_whole(letter, about, now), indent=2))
        else:
            for line in _told(letter, about, now):
                tell(line)
    return 0 if found else INCOMPLETE


def _whole(letter: DeadLetter, about: About, now: int) -> dict[str, object]:
    deaths = [
        {"entry": one.id, "reason": one.reason, "error": one.error, "attempts": one.attempts, "at": moment(one.at)}
        for one in letter.story
    ]
    return brief(letter, now) | {
        "message": about.message,
        "error": letter.error or None,
        "died": moment(letter.died),
        "consumer": letter.told.get("consumer"),
        "group": letter.told.get("group"),
        "stream": letter.told.get("stream"),
        "deaths": deaths,
        "fields": plain_fields(letter.original),
        "body": about.value,
        "unreadable": about.unreadable or None,
    }


def _told(letter: DeadLetter, about: About, now: int) -> Iterator[str]:
    paint = painter()
    about_it = {
        "id": letter.id,
        "died": f"{moment(letter.died)}, {span(now - letter.time)} ago",
        "reason": letter.reason,
        "error": letter.error,
        "attempts": "" if letter.attempts is None else str(letter.attempts),
        "consumer": letter.told.get("consumer", ""),
        "entry": letter.told.get("id", ""),
        "stream": letter.told.get("stream", ""),
        "group": letter.told.get("group", ""),
        "message": about.message or "",
        "trace": _trace(letter),
    }
    for name, value in about_it.items():
        if value:
            yield f"{paint(f'{name:<9}', 'bold')} {safe(value)}"
    earlier = letter.story[:-1] if letter.told else letter.story
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
    if about.unreadable:
        yield f"{paint('body', 'bold')} cannot be read: {safe(about.unreadable)}"
    else:
        yield paint("body", "bold")
        yield from (f"  {line}" for line in pretty(about.value).splitlines())


def _trace(letter: DeadLetter) -> str:
    found = read(penstock_field(letter.original, TRACEPARENT))
    return "" if found is None else found.trace_id
