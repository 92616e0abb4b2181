"""`penstock fmt`: format specs; comments stay."""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from penstock.terminal.options import platform_option
from penstock_spec import atomic
from penstock_spec.findings import CannotGoOn
from penstock_spec.repository import open_repository, read_inputs


@click.command(name="fmt", short_help="Format specs; comments stay.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--check", is_flag=True, help="Change nothing; exit with 1 if a file would change.")
@click.option("--diff", is_flag=True, help="Change nothing; print the difference.")
@platform_option
@click.pass_context
def command(ctx: click.Context, paths: tuple[Path, ...], check: bool, diff: bool, platform: Path | None) -> None:
    """Format specs: two-space indents, `{a: 1, b: 2}`, at most one blank line, no trailing blanks.

    Order, quotes and comments stay. Without PATHS, the platform file and all of `specs/` are formatted. Files that
    cannot be read are reported and left unchanged (exit code 1).
    """
    from penstock_spec.formatting import NotFormatted, formatted
    from penstock_spec.report.safe import safe

    repository = open_repository(paths, platform, Path.cwd())
    inputs = read_inputs(repository)
    files = inputs.specs if paths else (inputs.platform, *inputs.specs)
    skipped, changed = 0, 0
    for file in files:
        result, name = formatted(file), safe(file.name)
        if isinstance(result, NotFormatted):
            skipped += 1
            click.echo(f"{name}: not formatted: {safe(result.why)}; {safe(result.hint)}", err=True)
            continue
        before = file.raw if isinstance(file.raw, bytes) else b""
        if result.encode() == before:
            continue
        changed += 1
        if diff:
            old = before.decode("utf-8", "replace").splitlines(keepends=True)
            new = result.splitlines(keepends=True)
            click.echo("".join(difflib.unified_diff(old, new, name, name)), nl=False)
        elif not check:
            replace_file(file.path, name, result)
        if not diff:
            click.echo(f"{name}: {'would be formatted' if check else 'formatted'}")
    if not changed and not skipped:
        click.echo("all files are formatted")
    ctx.exit(1 if skipped or (changed and (check or diff)) else 0)


def replace_file(path: Path, name: str, text: str) -> None:
    """Replace a file atomically, keeping its permissions: an interrupted run leaves the old file or the new one."""
    path = path.resolve()  # a link stays a link
    try:
        atomic.write(path, text.encode(), path.stat().st_mode & 0o7777)
    except OSError as error:
        raise CannotGoOn(
            f"`{name}` cannot be written: {error.strerror}", "check its permissions, or use `--diff`"
        ) from None
