"""`penstock send`: send messages from a terminal or a file."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import click

from penstock.terminal.options import SpecOptions, json_option, parse_duration, spec_argument, spec_options
from penstock.terminal.output import INCOMPLETE, NOTHING_DONE, print_json, print_line, print_note
from penstock_spec.findings import CannotGoOn

if TYPE_CHECKING:
    from penstock.producer.outcomes import Outcome
    from penstock.producer.producer import Producer
    from penstock.resolved import ResolvedPipeline
    from penstock.wire.credentials import Credentials


@click.command(name="send", short_help="Send messages to a pipeline.")
@spec_argument
@click.argument("body", required=False, metavar="[BODY|-]")
@click.option("--lines", is_flag=True, help="Read one message per line from standard input.")
@click.option(
    "--delay",
    metavar="SPAN",
    callback=parse_duration,
    help="Delay before the message enters the stream, such as `30s`.",
)
@click.option(
    "--at",
    metavar="TIME",
    help="When the message enters the stream, such as `2027-01-31T08:00:00Z`; the time zone is required.",
)
@click.option("--key", metavar="TEXT", help="Deduplication key, instead of the field that the spec names.")
@json_option
@spec_options
@click.pass_context
def command(
    ctx: click.Context,
    options: SpecOptions,
    body: str | None,
    lines: bool,
    delay: int | None,
    at: str | None,
    key: str | None,
    as_json: bool,
) -> None:
    """Send BODY, a JSON object, to the pipeline SPEC. Without BODY or with `-`, read standard input.

    The body is checked as every producer checks it, before it is sent. Standard output has one message id per line;
    errors go to standard error. `unknown` means that Redis did not answer: the message may have been sent.

    `--json` prints one object per line, whose `outcome` is `sent`, `delayed`, `duplicate`, `not-sent` or `unknown`.
    Exit code 1: some messages were not sent, or an outcome is unknown; 2: nothing was sent.

    \b
    Examples:
      penstock send media-cluster '{"job_id": "42", "image_ids": []}' --env dev
      penstock send media-cluster --lines --env dev < jobs.jsonl
    """
    from penstock.operating import reach

    if lines and body not in (None, "-"):
        raise CannotGoOn("a BODY and `--lines` exclude each other", "leave one of them out")
    if key is not None and lines:
        raise CannotGoOn(
            "`--key` and `--lines` exclude each other: a key belongs to one message", "leave one of them out"
        )
    if delay is not None and at is not None:
        raise CannotGoOn("`--delay` and `--at` exclude each other", "leave one of them out")
    when = None if at is None else _time(at)
    pipeline, credentials = options.pipeline()
    if key is not None and pipeline.spec.message.dedup is None:
        raise CannotGoOn("`--key` needs `message.dedup` in the spec", "set it, or leave `--key` out")
    source = _bodies(body, lines=lines)
    send_options = MessageOptions(None if delay is None else delay / 1000, when, key)
    ctx.exit(reach.run(_send(pipeline, credentials, source, send_options, lines=lines, as_json=as_json)))


def _time(text: str) -> datetime:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise CannotGoOn(f"`--at {text}` is not a time", "write it as `2027-01-31T08:00:00Z`") from None
    if when.utcoffset() is None:
        hint = f"write `{text}Z` for UTC, or `{text}+01:00`"
        raise CannotGoOn(f"`--at {text}` has no time zone", hint)
    return when


async def _bodies(body: str | None, *, lines: bool) -> AsyncIterator[list[bytes]]:
    """Yield the bodies to send: BODY, or standard input as one body or line by line."""
    from penstock.operating.lines import lines as lines_of

    if body not in (None, "-"):
        yield [os.fsencode(body)]
        return
    if sys.stdin is None:
        raise CannotGoOn("standard input is closed", "give a BODY")
    if sys.stdin.isatty():
        print_note("enter one JSON object per line, then Ctrl-D:" if lines else "enter a JSON object, then Ctrl-D:")
    chunks = [b""]
    async for chunk in lines_of(sys.stdin.fileno()):
        if lines:
            yield chunk
        else:
            chunks += chunk
    if not lines:
        yield [b"\n".join(chunks[1:])]


@dataclass(frozen=True, slots=True)
class MessageOptions:
    """Options for all messages of one command."""

    delay: float | None
    """Seconds."""
    at: datetime | None
    key: str | None


async def _send(
    pipeline: ResolvedPipeline,
    credentials: Credentials,
    source: AsyncIterator[list[bytes]],
    options: MessageOptions,
    *,
    lines: bool,
    as_json: bool,
) -> int:
    """Send all messages, print the outcome of each, and return the exit code."""
    from penstock.producer.errors import Unknown
    from penstock.producer.outcomes import Duplicate, Failed, Sent
    from penstock.producer.producer import Producer

    # The producer's log would repeat what is printed here for each message.
    logging.getLogger("penstock").addHandler(logging.NullHandler())
    refused = done = unknown = read = 0
    hint = ""
    async with Producer(pipeline, credentials=credentials) as producer:
        async for bodies in source:
            numbered = [(number, body) for number, body in enumerate(bodies, read + 1) if body.strip() or not lines]
            read += len(bodies)
            if not numbered:
                continue
            try:
                outcomes = await _outcomes(producer, [body for _, body in numbered], options)
            except asyncio.CancelledError:
                print_note(f"the outcome of {_which(numbered[0][0], read, lines=lines)} is unknown")
                raise
            for (number, _), outcome in zip(numbered, outcomes, strict=True):
                done += isinstance(outcome, (Sent, Duplicate))
                refused += isinstance(outcome, Failed)
                unknown += isinstance(outcome, Unknown)
                hint = _hint(outcome, lines=lines) or hint
                (_print_json if as_json else _print)(outcome, f"line {number}: " if lines else "", number)
    if hint:
        print_note(f"hint: {hint}")
    if refused and not done and not unknown:
        return NOTHING_DONE
    return INCOMPLETE if refused or unknown else 0


def _hint(outcome: Outcome, *, lines: bool) -> str:
    """A hint if the only body is not JSON, or Redis was unreachable or refused; empty otherwise."""
    from penstock.operating.reach import as_sentence
    from penstock.producer.errors import InvalidMessage, RedisAbsent, RedisRefused
    from penstock.producer.outcomes import Failed
    from penstock.wire.errors import RedisTrouble

    error = outcome.error if isinstance(outcome, Failed) else None
    if isinstance(error, InvalidMessage) and error.reason == "not-json" and not lines:
        return """write it as '{"name": "world"}': names and texts in double quotes, and all of it in single quotes"""
    cause = error.__cause__ if isinstance(error, (RedisAbsent, RedisRefused)) else None
    return as_sentence(cause).hint if isinstance(cause, RedisTrouble) else ""


async def _outcomes(producer: Producer, bodies: list[bytes], options: MessageOptions) -> list[Outcome]:
    from penstock.producer.errors import NotSent, Unknown
    from penstock.producer.outcomes import Failed

    if options.key is None:
        return await producer.send_many(bodies, delay=options.delay, at=options.at)
    try:
        return [await producer.send(bodies[0], key=options.key, delay=options.delay, at=options.at)]
    except Unknown as unknown:
        return [unknown]
    except NotSent as error:
        return [Failed(error)]


def _which(first: int, last: int, *, lines: bool) -> str:
    return f"lines {first} to {last}" if lines else "the message"


def _print(outcome: Outcome, where: str, number: int) -> None:
    from penstock.producer.outcomes import Duplicate, Failed, Sent
    from penstock_spec.values.display import many, moment

    del number
    match outcome:
        case Sent():
            print_line(outcome.id)
            if outcome.due is not None:
                print_note(f"{where}due at {moment(outcome.due)}")
            if outcome.dropped:
                print_note(f"{where}dropped {many(outcome.dropped, 'unread message')} to make room")
        case Duplicate():
            print_line(outcome.id)
            print_note(f"{where}duplicate of this message; not sent again")
        case Failed():
            print_note(f"{where}not sent: {outcome.error}")
        case _:
            print_note(f"{where}unknown: {outcome}")


def _print_json(outcome: Outcome, where: str, number: int) -> None:
    from penstock.producer.outcomes import Duplicate, Failed, Sent

    fields: dict[str, object] = {"line": number} if where else {}
    match outcome:
        case Sent():
            fields |= {
                "outcome": "sent" if outcome.due is None else "delayed",
                "id": outcome.id,
                "entry": outcome.entry,
            }
            fields |= {"due": outcome.due, "correlation": outcome.correlation, "dropped": outcome.dropped}
        case Duplicate():
            fields |= {"outcome": "duplicate", "id": outcome.id, "key": outcome.key}
        case Failed():
            fields |= {"outcome": "not-sent", "reason": outcome.error.outcome, "error": str(outcome.error)}
        case _:
            fields |= {"outcome": "unknown", "id": outcome.id, "error": str(outcome)}
    print_json(fields)
