"""`penstock acl`: the least rights in Redis."""

from __future__ import annotations

import json
from pathlib import Path

import click

from penstock.terminal.console import here, today
from penstock.terminal.options import environment_option, find_spec, json_option, platform_option
from penstock.terminal.output import aside, tell
from penstock.terminal.resolving import refuse_errors

ROLES = ("producer", "worker", "scaler", "scheduler", "janitor", "operator")
OF_ALL = ("janitor", "operator")
"""Those who look after all specs of an environment."""


@click.command(name="acl", short_help="Print the least rights in Redis that each part of a spec needs.")
@click.argument("specs", nargs=-1, metavar="[SPEC]...", type=click.Path(path_type=Path))
@click.option("--role", "roles", multiple=True, type=click.Choice(ROLES), help="Only this role. Repeatable.")
@click.option("--user-prefix", default="", metavar="TEXT", help="Put before the names of users.")
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
    """Print lines for Redis's access list, of the least rights that each needs who talks to it for SPEC.

    \b
    <pipeline>-producer   sends
    <pipeline>-worker     runs messages
    <pipeline>-scaler     KEDA's triggers
    <scheduler>-scheduler a scheduler's pods; also what the producers may of the pipelines that its jobs send to
    penstock-janitor      looks after all pipelines of the environment
    penstock-operator     a person with `penstock status`, `dlq`, `peek`, `tail`, `send` and `scheduler`

    The last two are users of all SPECs that are named, or of all there are: name all, or none, when you grant their
    rights. Redis is not asked. What scripts call is granted as well; where the platform file says
    Redis 7 or later, what is only read may only be read.

    A line says nothing of passwords, and not whether the user is on: `ACL SETUSER NAME on >PASSWORD` does, once. It can
    be given again after every update.

    \b
    Example:
      penstock acl media-cluster --env production --role worker | redis-cli -h redis-host
    """
    from penstock import resolved as files
    from penstock_spec.rights.users import borrowed, users

    paths = tuple(find_spec(spec, platform) for spec in specs)
    about, outcome = files.specs(paths, platform, environment, here(), today())
    if not about:
        refuse_errors(files.Resolution((), outcome))
    known = {one.spec.name for one in about}
    lack = [name for one in about for name in borrowed(one) if name not in known]
    among = files.specs((), platform, environment, here(), today())[0] if lack else ()
    for name in sorted(set(lack) - {one.spec.name for one in among}):
        aside(f"a job sends to `{name}`, and there is no such pipeline without errors here; its rights are left out")
    found = [one for one in users(about, user_prefix, among) if not roles or one.role in roles]
    if as_json:
        told = [{"user": one.name, "role": one.role, "specs": one.specs, "rules": one.rules} for one in found]
        tell(json.dumps({"environment": about[0].environment, "users": told}, indent=2))
    else:
        for one in found:
            tell(one.line)
    if any(one.role in OF_ALL for one in found) and not _are_all(paths, platform):
        aside(
            "the janitor and operators look after all pipelines of an environment: leave SPEC out for all their rights"
        )


def _are_all(paths: tuple[Path, ...], platform: Path | None) -> bool:
    """Whether these are all specs that there are; nothing named is all of them."""
    from penstock_spec.repository import open_repository

    named = {path.resolve() for path in paths}
    return not named or named.issuperset(path.resolve() for path in open_repository((), platform, here()).specs)
