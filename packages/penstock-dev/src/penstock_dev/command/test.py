"""`penstock test`: check the expectations of specs in a simulation."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from penstock.terminal.console import here, painter, today
from penstock.terminal.options import complete_environment, find_spec, json_option, platform_option
from penstock.terminal.output import print_line
from penstock_dev.command.shared import FILE, refuse_errors, seed_option
from penstock_spec.findings import CannotGoOn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock_dev.simulating.specs import ValidSpecs
    from penstock_dev.simulating.verdict import CheckedExpectation

BROKEN = 1
"""The exit code if an expectation is broken."""


@click.command(name="test", short_help="Check the scaling that specs expect.")
@click.argument("specs", nargs=-1, metavar="[SPEC]...", type=FILE)
@click.option(
    "-e", "--env", "environments", multiple=True, metavar="NAME", shell_complete=complete_environment,
    help="Only this environment; can be repeated.",
)  # fmt: skip
@click.option("--junit", type=FILE, metavar="FILE", help="Also write a JUnit report.")
@json_option
@seed_option
@platform_option
@click.pass_context
def command(
    ctx: click.Context,
    specs: tuple[Path, ...],
    environments: tuple[str, ...],
    junit: Path | None,
    as_json: bool,
    seed: int,
    platform: Path | None,
) -> None:
    """Simulate the expectations of all specs, or of SPECs, in every environment.

    For each item of `expect` this prints whether it holds, what was measured, and the second at which it broke. An item
    with `environments` is checked only there. The exit code is 1 if one is broken.

    \b
    Examples:
      penstock test
      penstock test media-cluster --env production
      penstock test --junit scaling.xml
    """
    from penstock.own_templates import read_inputs
    from penstock_dev.simulating.specs import read
    from penstock_spec.repository import open_repository

    files = tuple(find_spec(spec, platform) for spec in specs)
    valid_specs = refuse_errors(read(read_inputs(open_repository(files, platform, here())), environments, today()))
    tested: list[CheckedExpectation] = []
    for one in _run(valid_specs, seed):
        if not as_json:
            _print(one, tested[-1] if tested else None)
        tested.append(one)
    if not tested:
        raise CannotGoOn("there are no expectations here", "add `expect` to a spec")
    broken = sum(bool(one.broken) for one in tested)
    if as_json:
        print_line(json.dumps({"broken": broken, "tested": [_to_json(one) for one in tested]}, indent=2))
    else:
        _print_summary(len(tested), broken)
    if junit:
        from penstock_dev.simulating.junit import render

        junit.write_text(render(tested), encoding="utf-8")
    ctx.exit(BROKEN if broken else 0)


def _run(specs: ValidSpecs, seed: int) -> Iterator[CheckedExpectation]:
    from penstock_dev.simulating.expectations import check_expectations

    for file in specs.inputs.specs:
        for environment in specs.environments:
            if it := specs.subject(file, environment):
                yield from check_expectations(it, seed)


def _print(one: CheckedExpectation, before: CheckedExpectation | None) -> None:
    from penstock_dev.simulating.verdict import describe

    paint = painter()
    if before is None or (one.spec, one.environment) != (before.spec, before.environment):
        print_line(paint(f"{one.spec} ({one.environment})", "bold"))
    print_line(f"  {paint('BROKEN', 'error')}  {one.expectation}" if one.broken else f"  held    {one.expectation}")
    for verdict in one.verdicts:
        if verdict.broken_at is not None or not one.broken:
            print_line(f"            {describe(verdict)}")
    if one.broken:
        print_line(f"            {paint(f'--> {one.at}', 'dim')}")


def _print_summary(tested: int, broken: int) -> None:
    from penstock_spec.values.display import many

    print_line()
    print_line(f"{many(tested, 'expectation')}, {f'{broken} broken' if broken else 'all held'}")


def _to_json(one: CheckedExpectation) -> dict[str, Any]:
    return {
        "spec": one.spec,
        "environment": one.environment,
        "expectation": one.expectation,
        "file": one.at.file,
        "line": one.at.line,
        "held": not one.broken,
        "verdicts": [asdict(verdict) for verdict in one.verdicts],
    }
