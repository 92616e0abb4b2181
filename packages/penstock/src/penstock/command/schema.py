"""`penstock schema`: write JSON Schemas for editors, and for messages that a model in code defines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from penstock.command.lint import write
from penstock.terminal.console import here
from penstock.terminal.options import find_spec, platform_option
from penstock_spec.findings import CannotGoOn

output_option = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write to this file instead of standard output.",
)


@click.group(name="schema", short_help="Write JSON Schemas for editors and messages.")
def command() -> None:
    """Write JSON Schemas.

    Editors with the YAML language server complete, explain and check specs that start with
    `# yaml-language-server: $schema=<file>`. For messages defined by a model in code, `penstock lint` reads a schema
    file instead of importing that code.
    """


@command.command(name="spec")
@click.option("--kind", default="pipeline", show_default=True, help="The kind of spec.")
@output_option
def spec(kind: str, output: Path | None) -> None:
    """Write the JSON Schema of a kind of spec."""
    from penstock_spec.fields import nearest
    from penstock_spec.json_schema import spec_schema
    from penstock_spec.kinds import kinds

    known = kinds()
    if kind not in known:
        close = nearest(kind, list(known)) or next(iter(known))
        raise CannotGoOn(f"no kind `{kind}`", f"write `--kind {close}`")
    _put(spec_schema(known[kind]), output)


@command.command(name="platform")
@output_option
def platform(output: Path | None) -> None:
    """Write the JSON Schema of the platform file."""
    from penstock_spec.json_schema import platform_schema

    _put(platform_schema(), output)


@command.command(name="message")
@click.argument("specs", nargs=-1, type=click.Path(path_type=Path))
@click.option("--write", "to_write", is_flag=True, help="Write each schema next to its spec.")
@click.option("--check", "to_check", is_flag=True, help="Compare with the files; exit with 1 if they differ.")
@click.option(
    "--path",
    "paths",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Folder with code, besides the current one; may be given several times.",
)
@platform_option
@click.pass_context
def message(
    ctx: click.Context,
    specs: tuple[Path, ...],
    to_write: bool,
    to_check: bool,
    paths: tuple[Path, ...],
    platform: Path | None,
) -> None:
    """Generate the JSON Schema of messages from the model that `message.schema.model` names.

    This imports the team's code. Without SPECS, it reads all specs that name a model; without --write or --check,
    schemas are printed.

    \b
    Examples:
      penstock schema message --write --path src
      penstock schema message --check                in CI
    """
    from penstock import message_model
    from penstock_spec.repository import open_repository

    if to_write and to_check:
        raise click.UsageError("`--write` and `--check` exclude each other", ctx)
    repository = open_repository([find_spec(one, platform) for one in specs], platform, here())
    stale = 0
    for model in message_model.models_in(repository):
        text = _text(message_model.schema_of(model, paths))
        if to_write:
            write(model.file, text)
            click.echo(f"{repository.name(model.file)}: written from {model.model}")
        elif to_check:
            difference = message_model.compare(model.file, text)
            stale += bool(difference)
            click.echo(f"{repository.name(model.file)}: {difference or 'up to date'}")
        else:
            click.echo(text, nl=False)
    if stale:
        click.echo("hint: update them with `penstock schema message --write`", err=True)
    ctx.exit(1 if stale else 0)


def _put(schema: dict[str, Any], output: Path | None) -> None:
    if output is None:
        click.echo(_text(schema), nl=False)
    else:
        write(output, _text(schema))


def _text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
