"""Options of the generator's verbs, and the folder that they work on; imports nothing heavy."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from penstock.terminal.options import complete_environment, platform_option
from penstock_spec.findings import CannotGoOn

GENERATED = "generated"

F = TypeVar("F", bound=Callable[..., Any])


def selection_options(verb: F) -> F:
    """Add `--env` and `--only`, as `environments` and `names`, and the option for the platform file."""
    environments = click.option(
        "-e", "--env", "environments", multiple=True, metavar="NAME", shell_complete=complete_environment,
        help="Only this environment; repeatable.",
    )  # fmt: skip
    names = click.option("--only", "names", multiple=True, metavar="NAME", help="Only this spec, by name; repeatable.")
    return environments(names(platform_option(verb)))


def root_of(repository: Path) -> Path:
    """The folder of generated files. A link is refused: it could lead anywhere."""
    root = repository / GENERATED
    if os.path.islink(root):  # noqa: PTH114 - like `os.path` elsewhere
        raise CannotGoOn(f"`{GENERATED}` is a link", "make it a folder")
    return root
