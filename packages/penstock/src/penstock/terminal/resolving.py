"""Resolves pipelines and Redis for verbs, and sets up their log."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from penstock.terminal.console import here, painter, today
from penstock_spec.findings import CannotGoOn, Severity

if TYPE_CHECKING:
    from penstock.observe.lines import Process
    from penstock.resolved import Resolution, ResolvedPipeline
    from penstock.wire.credentials import Credentials
    from penstock_spec.platform import Redis

EMBEDDED = "embedded"
GENERATED_SUFFIX = ".json"
"""Suffix of generated worker files."""
EMBEDDED_FOLDER = Path(".penstock", "redis")
"""Data of the repository's embedded Redis."""


def resolve_pipelines(
    paths: Iterable[Path], platform: Path | None, environment: str | None, redis: str | None
) -> tuple[tuple[ResolvedPipeline, ...], Credentials]:
    """The pipelines in these files, or all of the repository. Errors in specs end the command."""
    from penstock import resolved as files

    named = tuple(paths)
    pipelines = tuple(files.from_generated(path, environment) for path in named if path.suffix == GENERATED_SUFFIX)
    if not pipelines:
        resolution = files.resolve(named, platform, environment, here(), today())
        refuse_errors(resolution)
        pipelines = resolution.pipelines
    model, credentials = redis_of(redis, platform, pipelines[0].redis, os.environ)
    return (pipelines if model is None else tuple(one.on(model) for one in pipelines)), credentials


def redis_of(
    option: str | None, platform: Path | None, default: Redis, environ: Mapping[str, str]
) -> tuple[Redis | None, Credentials]:
    """The Redis of `--redis` or `--embedded`, if given, and the credentials."""
    from penstock.wire.credentials import Credentials
    from penstock.wire.url import read_url

    if option is None:
        credentials = Credentials.from_environment(environ)
        credentials.check(default)
        return None, credentials
    if option == EMBEDDED:
        return read_url(_embedded(platform), {})  # credentials in the environment belong to another Redis
    found = read_url(option, environ)
    warn_of_password(option)
    return found


def warn_of_password(url: str) -> None:
    """Tell a person who types a password where to put it instead. Logs that programs read get no such line."""
    from penstock.wire.url import has_password

    if has_password(url) and sys.stderr is not None and sys.stderr.isatty():
        says = "every user of this machine can read the password in `--redis`; set REDIS_USERNAME and REDIS_PASSWORD,"
        click.echo(f"warning: {says} or REDIS_PASSWORD_FILE, instead", err=True)


def refuse_errors(resolution: Resolution) -> None:
    """Print findings and raise CannotGoOn if no pipeline can run."""
    if not resolution.pipelines:
        from penstock_spec import report

        if not resolution.outcome.count(Severity.ERROR):
            raise CannotGoOn("no pipeline found", "create one with `penstock new NAME`")
        click.echo(report.render("text", resolution.outcome, painter(sys.stderr)), nl=False, err=True)
        raise CannotGoOn("the specs have errors", "see `penstock lint`")


def _embedded(platform: Path | None) -> str:
    """Start or join the repository's embedded Redis until the command ends."""
    from penstock.embedded import shared
    from penstock_spec.repository import find_root

    folder = (platform.resolve().parent if platform else find_root(here())) / EMBEDDED_FOLDER
    return click.get_current_context().with_resource(shared(folder))


def set_up_log(process: Process, format_: str | None) -> Literal["json", "text"]:
    """Set up the log in the given format; by default text on a terminal and JSON elsewhere. Return the format."""
    from penstock.observe.logs import level_of, set_up

    chosen: Literal["json", "text"]
    if format_ is None:
        chosen = "text" if sys.stderr is not None and sys.stderr.isatty() else "json"
    else:
        chosen = "text" if format_ == "text" else "json"
    set_up(process, format_=chosen, level=level_of(os.environ))
    return chosen


def address_of(listen: str) -> tuple[str, int] | None:
    """Parse host and port; None for `off`."""
    if listen == "off":
        return None
    host, _, port = listen.rpartition(":")
    if not port.isascii() or not port.isdigit() or int(port) > 65535:  # noqa: PLR2004 - the highest port
        raise CannotGoOn(f"`{listen}` is not a host and a port", "write it as `0.0.0.0:8080`, or `off`")
    return host.removeprefix("[").removesuffix("]") or "0.0.0.0", int(port)  # noqa: S104 - a pod is called from outside
