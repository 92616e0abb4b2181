"""`penstock lint`: check specs, and say what is wrong, where, and how to fix it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import click

from penstock.own_templates import read_inputs
from penstock.terminal.console import here, painter, today
from penstock.terminal.options import complete_environment, platform_option
from penstock_spec import report
from penstock_spec.findings import CannotGoOn, LintResult, Severity
from penstock_spec.repository import SPECS, Repository, open_repository


@click.command(name="lint", short_help="Check specs: what is wrong, where, and how to fix it.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, readable=False))
@click.option(
    "-e",
    "--env",
    "environments",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_environment,
    help="Check only this environment; may be given several times.",
)
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(sorted(report.FORMATS)),
    default="text",
    show_default=True,
    help="Output format.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write to this file instead of standard output (`-`).",
)
@click.option("--strict", is_flag=True, help="Fail on warnings and infos, too.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
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
    """Check the platform file and specs: each spec in every environment, and all specs together.

    Without PATHS, all of `specs/` is checked. Exit code 0: no errors (with --strict, no findings); 1: errors; 2: the
    check could not run, for example without a platform file.

    \b
    Examples:
      penstock lint
      penstock lint specs/media-cluster.yaml --env production
      penstock lint --strict --format github       in a workflow, as annotations
    """
    repository = open_repository(paths, platform, here())
    if repository.complete and not repository.specs:
        raise CannotGoOn(f"no spec in `{SPECS}/`", "create one with `penstock new`")
    outcome = _lint(repository, environments) if no_cache else _lint_cached(repository, environments)
    outcome = relative_to(outcome, repository.root, base_folder(form))
    to_screen = output is None or str(output) == "-"
    text = report.render(form, outcome, painter() if to_screen else None)
    if to_screen or output is None:
        click.echo(text, nl=False)
    else:
        write(output, text)
    failing = outcome.findings if strict else [one for one in outcome.findings if one.severity is Severity.ERROR]
    ctx.exit(1 if failing else 0)


def _lint_cached(repository: Repository, environments: tuple[str, ...]) -> LintResult:
    from penstock_spec.linting import cache

    return cache.lint(repository, environments, today(), read_inputs(repository))


def _lint(repository: Repository, environments: tuple[str, ...]) -> LintResult:
    from penstock_spec.linting.lint import lint

    return lint(read_inputs(repository), environments, today()).outcome


def write(path: Path, text: str) -> None:
    """Write a file. Raises CannotGoOn."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CannotGoOn(
            f"`{path}` cannot be written: {error.strerror}", "name a file in a folder that exists"
        ) from None


def base_folder(format_: str) -> Path:
    """The folder that file names are relative to: the current one, or the checkout for GitHub's formats."""
    workspace = os.environ.get("GITHUB_WORKSPACE")
    return Path(workspace) if workspace and format_ in ("github", "sarif") else here()


def relative_to(outcome: LintResult, root: Path, folder: Path) -> LintResult:
    """Make file names relative to this folder."""
    root, folder = root.resolve(), folder.resolve()
    if root == folder:
        return outcome
    names = {name: os.path.relpath(root / name, folder) for name in (*outcome.files, *outcome.lines)}
    findings = tuple(replace(one, at=one.at._replace(file=names[one.at.file])) for one in outcome.findings)
    lines = {names[name]: lines for name, lines in outcome.lines.items()}
    files = tuple(names[name] for name in outcome.files)
    return replace(outcome, findings=findings, lines=lines, files=files)
