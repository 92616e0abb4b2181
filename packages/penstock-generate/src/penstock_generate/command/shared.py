"""What the generator's verbs share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from penstock.command.console import complete_environment, here, painter, platform_option, today
from penstock_generate.flow import Flow
from penstock_generate.making import Sink
from penstock_generate.source import Chosen, Refused, Source, read, refused, unchecked
from penstock_spec import report
from penstock_spec.findings import CannotGoOn
from penstock_spec.repository import open_repository

GENERATED = "generated"

F = TypeVar("F", bound=Callable[..., Any])


def choice_options(verb: F) -> F:
    """What is looked at, as `environments` and `names`."""
    environments = click.option(
        "-e", "--env", "environments", multiple=True, metavar="NAME", shell_complete=complete_environment,
        help="Only this environment; may be given several times.",
    )  # fmt: skip
    names = click.option(
        "--only",
        "names",
        multiple=True,
        metavar="NAME",
        help="Only this spec, by its name; may be given several times.",
    )
    return environments(names(platform_option(verb)))


def source_of(platform: Path | None, chosen: Chosen) -> Source:
    """The repository here; errors in its files end the command."""
    return _well(read(open_repository((), platform, here()), chosen, today()))


def flow_of(source: Source, root: Path, sink: Sink) -> Flow:
    """What checks the specs, and makes each as soon as it is checked; errors end the command."""
    flow = Flow(source, root, sink)
    _well(refused(source, flow) or source)
    return flow


def unchecked_of(platform: Path | None, chosen: Chosen) -> Source:
    """The repository here, whose specs are to be checked."""
    return _well(unchecked(open_repository((), platform, here()), chosen, today()))


def _well(found: Source | Refused) -> Source:
    if isinstance(found, Refused):
        click.echo(report.render("text", found.outcome, painter(sys.stderr)), nl=False, err=True)
        raise CannotGoOn("nothing is generated from specs with errors", "see `penstock lint`")
    return found


def root_of(source: Source) -> Path:
    """Where it goes. A link there is followed by nobody's wish."""
    root = source.root / GENERATED
    if os.path.islink(root):  # noqa: PTH114 - beside the texts of `os.path` elsewhere
        raise CannotGoOn(f"`{GENERATED}` is a link", "make it a folder")
    return root
