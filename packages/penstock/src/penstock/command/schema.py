"""`penstock schema`: JSON Schemas for editors, and of messages whose model is in code."""

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
    help="Write to this file instead of the screen.",
)


@click.group(name="schema", short_help="Write JSON Schemas for editors and of messages.")
def command() -> None:
    """Write JSON Schemas.

    An editor with the YAML language server completes, explains and checks a spec that starts with
    `# yaml-language-server: $schema=<file>`. A message whose schema is a model in code has it written to a file, which
    `penstock lint` reads: linting never imports a team's code.
    """


@command.command(name="spec")
@click.option("--kind", default="pipeline", show_default=True, help="The kind of spec.")
@output_option
def spec(kind: str, output: Path | None) -> None:
    """Write the schema of a kind of spec."""
    from penstock_spec.fields import nearest
    from penstock_spec.json_schema import spec_schema
    from penstock_spec.kinds import kinds

    known = kinds()
    if kind not in known:
        close = nearest(kind, list(known)) or next(iter(known))
        raise CannotGoOn(f"there is no kind `{kind}`", f"write `--kind {close}`")
    _put(spec_schema(known[kind]), output)


@command.command(name="platform")
@output_option
def platform(output: Path | None) -> None:
    """Write the schema of the platform file."""
    from penstock_spec.json_schema import platform_schema

    _put(platform_schema(), output)


@command.command(name="message")
@click.argument("specs", nargs=-1, type=click.Path(path_type=Path))
@click.option("--write", "to_write", is_flag=True, help="Write the schema beside each spec.")
@click.option("--check", "to_check", is_flag=True, help="Compare with the file; exit code 1 when they differ.")
@click.option(
    "--path",
    "paths",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Where the code is, beside the current folder; may be given several times.",
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
    """Make the schema of messages from the model in code that `message.schema.model` names.

    This imports the code. Without SPECS all specs that name a model are meant; without --write or --check the schemas
    are printed.

    \b
    Examples:
      penstock schema message --write --path src
      penstock schema message --check                in CI
    """
    from penstock import message_model
    from penstock_spec.repository import open_repository

    if to_write and to_check:
        raise click.UsageError("`--write` and `--check` are one or the other", ctx)
    repository = open_repository([find_spec(one, platform) for one in specs], platform, here())
    stale = 0
    for found in message_model.named_in(repository):
        text = _text(message_model.schema_of(found, paths))
        if to_write:
            write(found.file, text)
            click.echo(f"{repository.name(found.file)}: written from {found.model}")
        elif to_check:
            problem = message_model.compare(found.file, text)
            stale += bool(problem)
            click.echo(f"{repository.name(found.file)}: {problem or 'as in the code'}")
        else:
            click.echo(text, nl=False)
    if stale:
        click.echo("hint: write them anew with `penstock schema message --write`", err=True)
    ctx.exit(1 if stale else 0)


def _put(schema: dict[str, Any], output: Path | None) -> None:
    if output is None:
        click.echo(_text(schema), nl=False)
    else:
        write(output, _text(schema))


def _text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
