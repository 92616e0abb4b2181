"""`penstock validate`: check generated files with the programs that will read them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from penstock.terminal.console import painter
from penstock_generate.inputs.source import Selection
from penstock_generate.terminal.options import root_of, selection_options
from penstock_generate.terminal.repository import source_of
from penstock_generate.tree import compare
from penstock_generate.validators import DOWNLOADED, CheckResult, checks, run
from penstock_spec.findings import CannotGoOn
from penstock_spec.forks import processors
from penstock_spec.report.safe import safe

SCHEMAS = "build/validators/schemas"


@click.command(name="validate", short_help="Check generated files with the programs that read them.")
@selection_options
@click.option(
    "--schemas",
    metavar="FOLDER",
    help=f"Folder of JSON Schemas for kubeconform; by default `{SCHEMAS}`. `default` downloads those of Kubernetes.",
)
@click.pass_context
def command(
    ctx: click.Context,
    environments: tuple[str, ...],
    names: tuple[str, ...],
    platform: Path | None,
    schemas: str | None,
) -> None:
    """Check the files in `generated/` with kubeconform, promtool, amtool, helm and hadolint.

    Each program must be on the PATH. Exit code 1: a check failed, or a program is missing.

    \b
    Examples:
      penstock validate
      penstock validate --env production --schemas default
    """
    chosen = Selection(environments, names)
    source = source_of(platform, chosen)
    root = root_of(source.root)
    folders = [folder for folder in compare.folders(root) if chosen.covers(folder)]
    if not folders:
        raise CannotGoOn("there are no generated files to check", "run `penstock generate`")
    with ThreadPoolExecutor(processors()) as pool:
        results = list(pool.map(run, checks(root, folders, source.model, _schemas(source.root, schemas))))
    bad = [result for result in results if result.code != 0]
    for line in (line for result in results for line in _lines_of(result)):
        click.echo(line)
    missing = sorted({result.check.program for result in results if result.code is None})
    if missing:
        click.echo(f"hint: install {' and '.join(missing)}, and put it on the PATH", err=True)
    ctx.exit(1 if bad else 0)


def _schemas(root: Path, option: str | None) -> str:
    folder = root / (option or SCHEMAS)
    if option == DOWNLOADED:
        return option
    if not folder.is_dir():
        hint = f"name their folder with `--schemas`, or use `--schemas {DOWNLOADED}` to download them"
        raise CannotGoOn(f"`{option or SCHEMAS}` has no JSON Schemas for kubeconform", hint)
    return str(folder)


def _lines_of(result: CheckResult) -> list[str]:
    paint = painter()
    if result.code is None:
        return [f"{paint('skipped', 'warning')}  {result.check.what}: {result.check.program} is not installed"]
    if result.code:
        output = [f"    {safe(line)}" for line in result.output.splitlines()]
        return [f"{paint('failed', 'error')}   {result.check.what} ({result.check.program})", *output]
    return [f"ok       {result.check.what} ({result.check.program})"]
