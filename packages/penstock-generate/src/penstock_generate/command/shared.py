"""What the generator's verbs share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import click

from penstock.command.console import complete_environment, here, painter, platform_option, today
from penstock_generate.artifact import Artifact
from penstock_generate.build import Chosen, build
from penstock_spec import report
from penstock_spec.findings import CannotGoOn, Severity
from penstock_spec.repository import Repository, open_repository

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


def built(platform: Path | None, chosen: Chosen) -> tuple[Repository, tuple[Artifact, ...]]:
    """The repository here, and what follows from it; errors in the specs end the command."""
    repository = open_repository((), platform, here())
    result = build(repository, chosen, today(), version("penstock-generate"))
    if result.outcome.count(Severity.ERROR):
        click.echo(report.render("text", result.outcome, painter(sys.stderr)), nl=False, err=True)
        raise CannotGoOn("nothing is generated from specs with errors", "see `penstock lint`")
    return repository, result.artifacts


def root_of(repository: Repository) -> Path:
    """Where it goes. A link there is followed by nobody's wish."""
    root = repository.root / GENERATED
    if os.path.islink(root):  # noqa: PTH114 - beside the texts of `os.path` elsewhere
        raise CannotGoOn(f"`{GENERATED}` is a link", "make it a folder")
    return root
