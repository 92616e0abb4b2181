"""What the generator's verbs share, as far as nothing has to be loaded for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from penstock.command.console import complete_environment, platform_option
from penstock_spec.findings import CannotGoOn

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


def root_of(repository: Path) -> Path:
    """Where it goes. A link there is followed by nobody's wish."""
    root = repository / GENERATED
    if os.path.islink(root):  # noqa: PTH114 - beside the texts of `os.path` elsewhere
        raise CannotGoOn(f"`{GENERATED}` is a link", "make it a folder")
    return root
