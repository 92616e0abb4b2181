"""`penstock acl`: the least Redis rights of each role."""

from __future__ import annotations

import json
from pathlib import Path

import click

from penstock.terminal.console import here, today
from penstock.terminal.options import environment_option, find_spec, json_option, platform_option
from penstock.terminal.output import print_line, print_note
from penstock.terminal.resolving import refuse_errors

ROLES = ("producer", "worker", "scaler", "scheduler", "janitor", "operator")
OF_ALL = ("janitor", "operator")
"""Roles that need rights for all specs of an environment."""


@click.command(name="acl", short_help="Print the least Redis rights that each role needs.")
@click.argument("specs", nargs=-1, metavar="[SPEC]...", type=click.Path(path_type=Path))
@click.option(
    "--role", "roles", multiple=True, type=click.Choice(ROLES), help="Print this role only; may be given several times."
)
@click.option("--user-prefix", default="", metavar="TEXT", help="Prefix for user names.")
@json_option
@environment_option
@platform_option
def command(
    specs: tuple[Path, ...],
    roles: tuple[str, ...],
    user_prefix: str,
    as_json: bool,
    environment: str | None,
    platform: Path | None,
) -> None:
    """Print a Redis ACL rule for each role of SPEC, with the least rights that it needs.

    \b
    <pipeline>-producer   sends messages
    <pipeline>-worker     runs messages
    <pipeline>-scaler     KEDA's triggers
    <scheduler>-scheduler runs jobs, and sends to the pipelines that its jobs name
    penstock-janitor      maintains all pipelines of the environment
    penstock-operator     `penstock status`, `dlq`, `peek`, `tail`, `send` and `scheduler`

    The last two need rights for all specs: name all SPECs or none to print their full rights. The command does not
    connect to Redis. Rights include the commands that scripts call. With Redis 7 or later in the platform file, keys
    that a role only reads get read-only rights.

    Lines set neither a password nor the user's state: run `ACL SETUSER NAME on >PASSWORD` once. A line can be applied
    again after each update.

    \b
    Example:
      penstock acl media-cluster --env production --role worker | redis-cli -h redis-host
    """
    from penstock import resolved as files
    from penstock_spec.rights.users import needed_specs, users

    paths = tuple(find_spec(spec, platform) for spec in specs)
    resolved, outcome = files.specs(paths, platform, environment, here(), today())
    if not resolved:
        refuse_errors(files.Resolution((), outcome))
    known = {one.spec.name for one in resolved}
    missing = [name for one in resolved for name in needed_specs(one) if name not in known]
    others = files.specs((), platform, environment, here(), today())[0] if missing else ()
    for name in sorted(set(missing) - {one.spec.name for one in others}):
        print_note(f"a job sends to `{name}`, which is missing or has errors; its rights are left out")
    selected = [one for one in users(resolved, user_prefix, others) if not roles or one.role in roles]
    if as_json:
        entries = [{"user": one.name, "role": one.role, "specs": one.specs, "rules": one.rules} for one in selected]
        print_line(json.dumps({"environment": resolved[0].environment, "users": entries}, indent=2))
    else:
        for one in selected:
            print_line(one.line)
    if any(one.role in OF_ALL for one in selected) and not _are_all(paths, platform):
        print_note(
            "the janitor and operators need rights for all specs of an environment: leave SPEC out to print them"
        )


def _are_all(paths: tuple[Path, ...], platform: Path | None) -> bool:
    """Whether these are all specs of the repository; no path means all."""
    from penstock_spec.repository import open_repository

    named = {path.resolve() for path in paths}
    return not named or named.issuperset(path.resolve() for path in open_repository((), platform, here()).specs)
