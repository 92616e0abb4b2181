"""The edge to the terminal: colour, the day, and the options that several verbs share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TextIO

import click

from penstock_spec.findings import CannotGoOn

STYLES: dict[str, dict[str, Any]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "info": {"fg": "cyan", "bold": True},
    "rule": {"fg": "blue", "bold": True},
    "dim": {"dim": True},
    "bold": {"bold": True},
}


def here() -> Path:
    """The current folder."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise CannotGoOn("the current folder does not exist any more", "change into one that does") from None


def coloured(stream: TextIO | None) -> bool:
    """Colour only on a terminal that can show it, and never against the user's wish."""
    if stream is None or os.environ.get("NO_COLOR"):
        return False
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def painter(stream: TextIO | None = None) -> Callable[[str, str], str]:
    """What puts a text into a style on this stream."""
    if not coloured(stream or sys.stdout):  # either may be None: a shell can close it
        return lambda text, _style: text
    return lambda text, style: click.style(text, **STYLES[style])


def today() -> date:
    """The day on which suppressions are judged. `PENSTOCK_TODAY` makes a run repeatable."""
    said = os.environ.get("PENSTOCK_TODAY")
    if not said:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(said)
    except ValueError:
        raise CannotGoOn(f"`PENSTOCK_TODAY` is `{said}`, which is no date", "write it as `2027-01-31`") from None


platform_option = click.option(
    "--platform",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The platform file; by default `penstock.yaml` here or in the nearest folder above.",
)


def complete_environment(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of environments for the shell, from the platform file around the current folder."""
    del param
    from penstock_spec.linting.lint import load
    from penstock_spec.repository import open_repository, read_inputs

    try:
        repository = open_repository((), ctx.params.get("platform"), here())
        data = load(read_inputs(repository).platform).data
    except CannotGoOn:
        return []
    names = data.get("environments") if isinstance(data, dict) else None
    return [name for name in names if name.startswith(incomplete)] if isinstance(names, dict) else []


environment_option = click.option(
    "-e",
    "--env",
    "environment",
    metavar="NAME",
    envvar="PENSTOCK_ENV",
    shell_complete=complete_environment,
    help="The environment; `PENSTOCK_ENV` names it too, and where there is only one nobody must.",
)


def complete_rule(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of rules for the shell."""
    del ctx, param
    from penstock_spec.catalogue import catalogue

    return [name for name in catalogue() if name.startswith(incomplete)]


def find_spec(spec: Path, platform: Path | None) -> Path:
    """A file, or the spec of this name."""
    from penstock_spec.fields import nearest
    from penstock_spec.repository import SPECS, find_root

    if spec.is_file() or spec.suffix:
        return spec
    specs = (platform.resolve().parent if platform else find_root(here())) / SPECS
    named = specs / f"{spec}.yaml"
    if named.is_file():
        return named
    close = nearest(str(spec), [path.stem for path in specs.glob("*.yaml")])
    raise CannotGoOn(
        f"there is no spec `{spec}`", f"did you mean `{close}`?" if close else "name a file below `specs/`"
    )
