"""`penstock init`: create a working repository."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from penstock import __version__
from penstock.terminal.verbs import VERBS
from penstock_spec.findings import CannotGoOn
from penstock_spec.repository import PLATFORM_FILE

STARTER = {
    "specs/hello.yaml": "hello.yaml",
    "hello/jobs.py": "jobs.py",
    ".github/workflows/penstock.yaml": "workflow.yaml",
    "README.md": "README.md",
    ".gitignore": "gitignore",
    PLATFORM_FILE: "penstock.yaml",  # last: after an interruption, `penstock init` can be repeated
}
NEXT_COMMANDS = (
    "penstock lint",
    """penstock send hello '{"name": "world"}' --embedded""",
    "penstock status --embedded",
    "penstock worker hello --embedded --until-idle",
    *(["penstock dev"] if "dev" in VERBS else []),
)
"""Commands that `penstock init` suggests: they send a message, run it, and show it live."""


@click.command(name="init", short_help="Create a working repository.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=Path())
def command(folder: Path) -> None:
    """Create a repository in FOLDER, by default the current one.

    It contains a platform file, a spec without findings, its handler, JSON Schemas for editors, and a CI workflow.
    Existing files stay unchanged. A folder that has a platform file is refused.
    """
    if (folder / PLATFORM_FILE).exists():
        says = f"`{folder / PLATFORM_FILE}` exists"
        raise CannotGoOn(says, "add a spec with `penstock new`, or name another folder")
    from penstock_spec import json_schema

    texts = {name: (files("penstock") / "starter" / source).read_text("utf-8") for name, source in STARTER.items()}
    workflow = ".github/workflows/penstock.yaml"
    texts[workflow] = texts[workflow].replace("{version}", __version__)
    schemas = {f"generated/schemas/{name}": text for name, text in json_schema.files().items()}
    for name, text in (schemas | texts).items():
        click.echo(f"{_write(folder / name, text)} {(folder / name).as_posix()}")
    change_folder = "" if folder == Path() else f"cd {folder} && "
    click.echo(f"\nnext:\n  {change_folder}export PENSTOCK_ENV=dev")
    for line in NEXT_COMMANDS:
        click.echo(f"  {line}")


def _write(path: Path, text: str) -> str:
    if path.exists():
        return "kept   "
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CannotGoOn(
            f"`{path}` cannot be written: {error.strerror}", "name a folder that you can write to"
        ) from None
    return "written"
