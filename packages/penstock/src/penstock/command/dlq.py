"""`penstock dlq`: list, show, replay and purge dead letters."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from penstock.terminal.options import SpecOptions, json_option, parse_duration, spec_argument, spec_options
from penstock.terminal.output import ENTRY_ID
from penstock_spec.findings import CannotGoOn

if TYPE_CHECKING:
    from penstock.operating.dead_letters.choice import Filters

F = TypeVar("F", bound=Callable[..., Any])


def filter_options(verb: F) -> F:
    """Add options that filter dead letters; the verb gets them as `filters`."""
    options = (
        click.option("--error", default="", metavar="TEXT", help="The error contains this text, in any case."),
        click.option(
            "--reason",
            type=click.Choice(["failed", "lost", "unreadable", "refused"]),
            help="Why it died: no attempts left, workers lost, unreadable, or refused by the handler.",
        ),
        click.option(
            "--older-than", metavar="SPAN", callback=parse_duration, help="Dead for longer than this, such as `1h`."
        ),
        click.option(
            "--newer-than", metavar="SPAN", callback=parse_duration, help="Dead for less than this, such as `30m`."
        ),
        click.option(
            "--field",
            "fields",
            multiple=True,
            metavar="NAME=VALUE",
            help="A body field has this value; `a.b` is `b` in object `a`. May be given several times.",
        ),
    )

    @wraps(verb)
    def with_filters(
        *args: object,
        error: str,
        reason: str | None,
        older_than: int | None,
        newer_than: int | None,
        fields: tuple[str, ...],
        **rest: object,
    ) -> object:
        return verb(*args, filters=_filters(error, reason, older_than, newer_than, fields), **rest)

    decorated = cast("F", with_filters)
    for option in reversed(options):
        decorated = option(decorated)
    return decorated


def choice_options(verb: F) -> F:
    """Add a required choice of dead letters; the verb gets `ids` or `filters`, or neither for all."""

    @wraps(verb)
    def with_choice(*args: object, ids: tuple[str, ...], filters: Filters, everything: bool, **rest: object) -> object:
        _check_choice(ids, filters, everything=everything)
        return verb(*args, ids=ids, filters=filters, **rest)

    ids = click.argument("ids", nargs=-1, metavar="[ID]...")
    everything = click.option("--all", "everything", is_flag=True, help="Select all dead letters of the pipeline.")
    return ids(filter_options(everything(cast("F", with_choice))))


yes_option = click.option("--yes", is_flag=True, help="Do it; by default, only show what would be done.")


@click.group(name="dlq", short_help="List, show, replay and purge dead letters.")
def command() -> None:
    """List, show, replay and purge dead letters: messages that will not be retried.

    \b
    Examples:
      penstock dlq list media-cluster --env production --newer-than 1h
      penstock dlq show media-cluster 1767225600000-0 --env production
      penstock dlq replay media-cluster --error TimeoutError --env production
    """


@command.command(name="list", short_help="List dead letters, newest first.")
@spec_argument
@filter_options
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Maximum to list.")
@click.option("--oldest-first", is_flag=True, help="List the oldest first.")
@json_option
@spec_options
@click.pass_context
def list_(
    ctx: click.Context,
    options: SpecOptions,
    filters: Filters,
    limit: int,
    oldest_first: bool,
    as_json: bool,
) -> None:
    """List dead letters of SPEC.

    The list shows only the correlation and `message.log_fields` of a body, and only the type of an error, because its
    text may quote the body. `penstock dlq show` shows everything. `--json` prints one object per line.
    """
    from penstock.operating import reach
    from penstock.operating.dead_letters import listing

    listed = listing.list_letters(*options.pipeline(), filters, limit, oldest_first=oldest_first, as_json=as_json)
    ctx.exit(reach.run(listed))


@command.command(name="show", short_help="Show a dead letter: history, fields and body.")
@spec_argument
@click.argument("id_", metavar="ID")
@json_option
@spec_options
@click.pass_context
def show(
    ctx: click.Context,
    options: SpecOptions,
    id_: str,
    as_json: bool,
) -> None:
    """Show the dead letter ID of SPEC: its deaths, its fields byte for byte, and its body.

    ID may also be the id of a message, as `penstock send` prints it. It is found among the newest 10,000 dead letters.

    Fields that are not plain one-line text are printed as JSON strings, and fields that are not UTF-8 as base64.
    """
    from penstock.message.ulid import is_ulid
    from penstock.operating import reach
    from penstock.operating.dead_letters import listing

    if not is_ulid(id_):
        _check_ids((id_,))
    ctx.exit(reach.run(listing.show_letter(*options.pipeline(), id_, as_json=as_json)))


@command.command(name="replay", short_help="Send dead letters through their pipeline again.")
@spec_argument
@choice_options
@click.option(
    "--rate",
    default="100/s",
    show_default=True,
    metavar="N/s",
    help="Maximum rate per second, minute (`/m`) or hour (`/h`); `off` for no limit.",
)
@yes_option
@json_option
@spec_options
@click.pass_context
def replay(
    ctx: click.Context,
    options: SpecOptions,
    ids: tuple[str, ...],
    filters: Filters,
    rate: str,
    yes: bool,
    as_json: bool,
) -> None:
    """Send dead letters of SPEC through their pipeline again: those with IDs, those that match the filters, or all.

    Without `--yes`, the command shows what it would do and changes nothing. Each dead letter becomes a new entry with
    its original fields, byte for byte, and the history of its deaths. Attempts restart at 1. Deduplication and the
    backlog limit do not apply. Messages that die again meanwhile are not replayed again.

    The oldest go first. A replay can be interrupted and repeated: each message is either a dead letter or back in the
    stream. `--json` prints one object per message.

    \b
    Examples:
      penstock dlq replay media-cluster 1767225600000-0 --yes
      penstock dlq replay media-cluster --reason failed --newer-than 2h --rate 20/s --yes
    """
    from penstock.operating import reach
    from penstock.operating.dead_letters import batch
    from penstock.operating.dead_letters.pace import rate_of

    try:
        per_second = rate_of(rate)
    except ValueError as wrong:
        raise CannotGoOn(str(wrong), "leave it out for `100/s`") from None
    plan = batch.Plan(*options.pipeline(), ids, filters, as_json=as_json)
    ctx.exit(reach.run(batch.replay(plan, per_second) if yes else batch.rehearse(plan, per_second)))


@command.command(name="purge", short_help="Delete dead letters for good.")
@spec_argument
@choice_options
@yes_option
@json_option
@spec_options
@click.pass_context
def purge(
    ctx: click.Context,
    options: SpecOptions,
    ids: tuple[str, ...],
    filters: Filters,
    yes: bool,
    as_json: bool,
) -> None:
    """Delete dead letters of SPEC for good: those with IDs, those that match the filters, or all.

    Without `--yes`, the command shows what it would do and changes nothing. Messages that die meanwhile stay.

    \b
    Example:
      penstock dlq purge media-cluster --reason unreadable --older-than 2d --yes
    """
    from penstock.operating import reach
    from penstock.operating.dead_letters import batch

    plan = batch.Plan(*options.pipeline(), ids, filters, as_json=as_json)
    ctx.exit(reach.run(batch.purge(plan) if yes else batch.rehearse_purge(plan)))


def _filters(
    error: str, reason: str | None, older_than: int | None, newer_than: int | None, fields: tuple[str, ...]
) -> Filters:
    from penstock.operating.dead_letters.choice import Filters

    wanted = []
    for one in fields:
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise CannotGoOn(f"`--field {one}` has no value", "write it as `--field job_id=42`")
        wanted.append((name, value))
    return Filters(error, reason or "", older_than, newer_than, tuple(wanted))


def _check_choice(ids: tuple[str, ...], filters: Filters, *, everything: bool) -> None:
    _check_ids(ids)
    given = [bool(ids), bool(filters), everything]
    if not any(given):
        raise CannotGoOn("no dead letters are selected", "give IDs, filters such as `--error`, or `--all`")
    if sum(given) > 1:
        raise CannotGoOn("IDs, filters and `--all` exclude each other", "choose one of them")


def _check_ids(ids: tuple[str, ...]) -> None:
    from penstock.message.ulid import is_ulid

    for one in ids:
        if is_ulid(one):
            raise CannotGoOn(
                f"`{one}` is the id of a message, not of a dead letter",
                f"`penstock dlq show SPEC {one}` shows the id of its dead letter",
            )
        if not ENTRY_ID.fullmatch(one):
            raise CannotGoOn(f"`{one}` is not the id of a dead letter", "`penstock dlq list` shows ids")
