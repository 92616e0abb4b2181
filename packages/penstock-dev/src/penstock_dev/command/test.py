"""`penstock test`: what specs expect of their scaling, held against a simulation of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from penstock.command.console import complete_environment, find_spec, here, painter, platform_option, today
from penstock.command.operating import aside, json_option, tell
from penstock_dev.command.shared import FILE, refuse_errors, seed_option
from penstock_spec.findings import CannotGoOn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock_dev.simulating.specs import Specs
    from penstock_dev.simulating.verdict import Tested

BROKEN = 1
"""The exit code where an expectation does not hold."""


@click.command(name="test", short_help="Hold specs to what they expect of their scaling.")
@click.argument("specs", nargs=-1, metavar="[SPEC]...", type=FILE)
@click.option(
    "-e", "--env", "environments", multiple=True, metavar="NAME", shell_complete=complete_environment,
    help="Only this environment; may be given several times.",
)  # fmt: skip
@click.option("--junit", type=FILE, metavar="FILE", help="Write a JUnit report too.")
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
    """Run what specs expect, all or those of SPECs, in every environment: each under `expect` is simulated, and told to
    hold or to be broken, with what was measured and the second at which it broke.

    An expectation with `environments` is run in these alone. Ends with 1 where one is broken.

    \b
    Examples:
      penstock test
      penstock test media-cluster --env production
      penstock test --junit scaling.xml
    """
    from penstock_dev.simulating.specs import read
    from penstock_spec.repository import open_repository, read_inputs

    files = tuple(find_spec(spec, platform) for spec in specs)
    found = refuse_errors(read(read_inputs(open_repository(files, platform, here())), environments, today()))
    tested = []
    for one in _run(found, seed):
        tested.append(one)
        if not as_json:
            _tell(one)
    if not tested:
        raise CannotGoOn("no spec expects anything here", "write `expect` into one, as `docs/how-to/test-scaling.md` shows")
    broken = sum(bool(one.broken) for one in tested)
    if as_json:
        tell(json.dumps({"broken": broken, "tested": [_told(one) for one in tested]}, indent=2))
    else:
        _sum_up(len(tested), broken)
    if junit:
        from penstock_dev.simulating.junit import render

        junit.write_text(render(tested), encoding="utf-8")
    ctx.exit(BROKEN if broken else 0)
