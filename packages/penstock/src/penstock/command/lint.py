"""`penstock lint`: everything that is wrong, where, and the way out."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import click

from penstock.command.console import complete_environment, painter, platform_option, today
from penstock_spec import report
from penstock_spec.findings import CannotGoOn, Outcome, Severity
from penstock_spec.repository import Repository, open_repository, read_inputs


@click.command(name="lint", short_help="Tell everything that is wrong, where, and the way out.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, readable=False))
@click.option(
    "-e",
    "--env",
    "environments",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_environment,
    help="Check this environment only; may be given several times.",
)
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(sorted(report.FORMATS)),
    default="text",
    show_default=True,
    help="How findings are written; all but `text` are for machines.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write to this file instead of the screen.",
)
@click.option("--strict", is_flag=True, help="Warnings and infos fail as well.")
@click.option("--no-cache", is_flag=True, help="Check all specs anew, and keep nothing.")
@platform_option
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    environments: tuple[str, ...],
    form: str,
    output: Path | None,
    strict: bool,
    no_cache: bool,
    platform: Path | None,
) -> None:
    """Check specs and the platform file, in every environment, and the specs against each other.

    Without PATHS all of `specs/` is checked. Exit code 0: no errors (with --strict, no findings at all); 1: errors;
    2: the check could not be made, for example because there is no platform file.

    \b
    Examples:
      penstock lint
      penstock lint specs/media-cluster.yaml --env production
      penstock lint --strict --format github       in a workflow, as annotations
    """
    repository = open_repository(paths, platform, Path.cwd())
    outcome = _unkept(repository, environments) if no_cache else _kept(repository, environments)
    if form == "text":
        outcome = seen_from(outcome, repository.root, Path.cwd())
    text = report.render(form, outcome, painter() if output is None else None)
    if output is None:
        click.echo(text, nl=False)
    else:
        write(output, text)
    failing = outcome.findings if strict else [one for one in outcome.findings if one.severity is Severity.ERROR]
    ctx.exit(1 if failing else 0)


def _kept(repository: Repository, environments: tuple[str, ...]) -> Outcome:
    from penstock_spec.linting import cache

    return cache.lint(repository, environments, today())


def _unkept(repository: Repository, environments: tuple[str, ...]) -> Outcome:
    from penstock_spec.linting.lint import lint

    return lint(read_inputs(repository), environments, today()).outcome


def write(path: Path, text: str) -> None:
    """Write what was asked for, or say why not."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CannotGoOn(
            f"`{path}` cannot be written: {error.strerror}", "name a file in a folder that exists"
        ) from None


def seen_from(outcome: Outcome, root: Path, here: Path) -> Outcome:
    """File names as a terminal in this folder links them."""
    root, here = root.resolve(), here.resolve()
    if root == here:
        return outcome
    names = {one.at.file: os.path.relpath(root / one.at.file, here) for one in outcome.findings}
    findings = tuple(replace(one, at=one.at._replace(file=names[one.at.file])) for one in outcome.findings)
    lines = {names[name]: lines for name, lines in outcome.lines.items() if name in names}
    return replace(outcome, findings=findings, lines=lines)
