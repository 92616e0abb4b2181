"""`penstock diff`: describe the changes of a spec in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from penstock.terminal.console import painter
from penstock_generate.diffing import dangerous_changes, output
from penstock_generate.diffing.earlier import Disk, Git
from penstock_generate.diffing.report import report
from penstock_generate.incremental.folders import Folder, all_folders
from penstock_generate.inputs.source import Selection, Source
from penstock_generate.terminal.options import root_of, selection_options
from penstock_generate.terminal.repository import source_of
from penstock_spec.linting.lint import load


@click.command(name="diff", short_help="Describe the changes of generated files in words.")
@click.argument("revision", required=False)
@selection_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown, for a pull request.")
@click.pass_context
def command(
    ctx: click.Context,
    revision: str | None,
    environments: tuple[str, ...],
    names: tuple[str, ...],
    platform: Path | None,
    as_json: bool,
    as_markdown: bool,
) -> None:
    """Describe in words how new generated files would differ, and change nothing.

    Compares with the files in `generated/`, or with those committed in a git REVISION. Exit code 1: a change could
    lose messages and is not acknowledged.

    \b
    Examples:
      penstock diff
      penstock diff origin/main --markdown
    """
    if as_json and as_markdown:
        raise click.UsageError("use only one of `--json` and `--markdown`", ctx)
    chosen = Selection(environments, names)
    source = source_of(platform, chosen)
    root = root_of(source.root)
    earlier = Git(root, revision) if revision else Disk(root)
    wanted = {folder.name: folder for folder in _folders(source)}
    gone = [name for name in earlier.folders() if name not in wanted and chosen.covers(name)]
    changes = report(earlier, wanted.values(), gone)
    specs = {str(load(file).data["name"]): file for file in source.inputs.specs}
    findings = dangerous_changes.of(source, specs, changes.was)
    if as_json:
        click.echo(output.as_json(changes, findings))
    else:
        lines = output.markdown(changes, findings) if as_markdown else output.text(changes, findings, painter())
        for line in lines:
            click.echo(line)
    ctx.exit(1 if findings.dangerous else 0)


def _folders(source: Source) -> Iterator[Folder]:
    return (folder for folder in all_folders(source) if source.chosen.covers(folder.name))
