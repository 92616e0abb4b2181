"""`penstock show`: show a spec in an environment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from penstock.own_templates import read_inputs
from penstock.terminal.console import here, painter, today
from penstock.terminal.options import environment_option, find_spec, platform_option
from penstock_spec.findings import CannotGoOn, Severity
from penstock_spec.repository import open_repository

if TYPE_CHECKING:
    from penstock_spec.model import Section

MOST_COLUMN = 64


@click.command(name="show", short_help="Show a spec in an environment, and where each value comes from.")
@click.argument("spec", type=click.Path(path_type=Path))
@click.argument("only", nargs=-1, metavar="[FIELD]...")
@environment_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON: each value with its path, source and place.")
@click.option("--plain", is_flag=True, help="Print the resolved spec alone, without sources.")
@platform_option
@click.pass_context
def command(
    ctx: click.Context,
    spec: Path,
    only: tuple[str, ...],
    environment: str | None,
    as_json: bool,
    plain: bool,
    platform: Path | None,
) -> None:
    """Show SPEC (a file or a name) with the values from the environment, the platform file and defaults.

    With FIELDs, such as `work` or `scaling.replicas`, show only these.

    Each line ends with the source of its value: a line of the spec, an override for the environment, a line of the
    platform file, other fields (`derived`), or a default. The output is a valid spec.

    \b
    Examples:
      penstock show media-cluster --env production
      penstock show specs/media-cluster.yaml work scaling.replicas --env dev
    """
    from penstock.resolved import choose
    from penstock_spec import report, show
    from penstock_spec.kinds import kinds
    from penstock_spec.linting import check, lint

    repository = open_repository((find_spec(spec, platform),), platform, here())
    inputs = read_inputs(repository)
    read = check.check_platform(lint.load(inputs.platform))
    chosen = choose(environment, lint.choose_environments(read, (environment,) if environment else ()))
    outcome = lint.lint(inputs, (chosen,) if chosen else (), today()).outcome
    if outcome.count(Severity.ERROR):
        click.echo(report.render("text", outcome, painter()), nl=False)
        ctx.exit(1)
    document = lint.load(inputs.specs[0])
    kind = kinds()[document.data["kind"]]
    _check_fields(kind.model, only)
    model, layers = check.resolve(kind, document, read, chosen)
    if as_json:
        values = show.values(layers, model, only)
        document_: dict[str, Any] = {"spec": document.file, "environment": chosen, "values": values}
        click.echo(json.dumps(document_, indent=2))
    elif plain:
        click.echo(show.as_spec(model, only), nl=False)
    else:
        paint = painter()
        rows = list(show.annotated(layers, model, only))
        column = min(MOST_COLUMN, max(len(text) for text, _ in rows)) + 2
        for text, origin in rows:
            comment = paint(f"{'':{max(2, column - len(text))}}# {origin}", "dim") if origin else ""
            click.echo(text + comment)


def _check_fields(model: type[Section], only: tuple[str, ...]) -> None:
    from penstock_spec.fields import has_path, known_paths, nearest

    for one in only:
        if not has_path(model, one):
            close = nearest(one, known_paths(model))
            raise CannotGoOn(
                f"there is no field `{one}`", f"did you mean `{close}`?" if close else "leave it out to see all fields"
            )
