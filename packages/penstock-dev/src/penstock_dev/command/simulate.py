"""`penstock simulate`: what a spec does under traffic."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from penstock.command.console import environment_option, painter, platform_option, today
from penstock.command.operating import Progress, columns, json_option, tell, tell_table
from penstock_dev.command.shared import FILE, case_options, duration, one_spec, refuse_errors
from penstock_spec.findings import CannotGoOn
from penstock_spec.repository import ENDINGS, SPECS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock_dev.simulating.case import Case
    from penstock_dev.simulating.simulation import SimulationResult
    from penstock_dev.simulating.specs import ValidSpecs
    from penstock_spec.context import SpecContext
    from penstock_spec.kinds.pipeline.spec import Pipeline

PICTURES = (".svg", ".png")
MISSED = 1
"""The exit code where the target is not met."""


@click.command(name="simulate", short_help="Say what a spec does under traffic, before it is deployed.")
@click.argument("spec", type=FILE)
@case_options
@duration("--oldest-under", "The target: no message shall wait longer.")
@click.option("--compare", metavar="OTHER", help="Beside it another spec, or this one in a revision of git.")
@click.option("--sweep", metavar="FIELD=VALUES", help="Try `a..b` or `a,b,c` for a field, and tell the cheapest.")
@click.option("--draw", type=FILE, metavar="FILE", help="Draw it, as `.svg` or `.png`.")
@json_option
@environment_option
@platform_option
@click.pass_context
def command(
    ctx: click.Context,
    spec: Path,
    case: Case,
    oldest_under: int | None,
    compare: str | None,
    sweep: str | None,
    draw: Path | None,
    as_json: bool,
    environment: str | None,
    platform: Path | None,
) -> None:
    """Say what SPEC (a file, or its name) does under traffic: how long messages wait, and how many pods there are.

    KEDA and the HPA decide in it as they do in a cluster, with the ScaledObject that would be generated. A simulation
    begins with the pods that are always there. The same seed gives the same answer.

    \b
    steady    the rate, evenly
    poisson   the rate, each message by itself
    day       from a tenth of the rate at midnight to all of it at noon, and back
    burst     all of the rate at once, then less and less
    outage    the rate; nothing for a third of the time; ten times the rate until all is made up for

    A trace in CSV has lines of `time,count`, or of times alone, one for each message. One in JSON is what Prometheus
    answers to a range query for messages a second, such as `sum(rate(penstock_sent_total[1m]))`.

    A sweep tries values for one field, and tells which of those that meet the target takes the fewest pod-hours. What
    `penstock lint` would refuse is left out. Ends with 1 where the target is missed.

    \b
    Examples:
      penstock simulate media-cluster --rate 50 --handling 2s --env production
      penstock simulate media-cluster --trace monday.csv --compare origin/main --draw monday.svg
      penstock simulate media-cluster --rate 50 --oldest-under 1m --sweep scaling.backlog_per_replica=4..64
    """
    from penstock_dev.simulating.case import whole_seconds

    if sweep and compare:
        raise CannotGoOn("`--sweep` and `--compare` are one or the other", "compare with a spec that has the value")
    if draw and draw.suffix not in PICTURES:
        raise CannotGoOn(f"`{draw}` is neither SVG nor PNG", "let it end with `.svg` or `.png`")
    if oldest_under == 0:
        raise CannotGoOn("no message waits for less than no time", "give a target such as `--oldest-under 1m`")
    target = None if oldest_under is None else whole_seconds(oldest_under)
    specs = one_spec(spec, platform, environment)
    it = specs.one()
    if sweep:
        results, met = _swept(specs, case, sweep, target, as_json=as_json)
    else:
        results = list(_beside(specs, case, compare, platform, target))
        met = target is None or not results[0].run.summary.over_target
        _tell(it, case, results, target, as_json=as_json)
    if draw:
        from penstock_dev.simulating.plot import draw as drawn

        drawn(draw, _title(it, case), [one.curves() for one in results], target)
    ctx.exit(0 if met else MISSED)


def _beside(
    specs: ValidSpecs, case: Case, compare: str | None, platform: Path | None, target: int | None
) -> Iterator[SimulationResult]:
    """What is simulated, and what it is compared with."""
    from penstock_dev.simulating.git import at_revision
    from penstock_dev.simulating.simulation import run
    from penstock_dev.simulating.specs import read

    it = specs.one()
    if compare is None:
        yield run("", it, case, target)
        return
    if file := _as_file(compare, specs):
        other = one_spec(file, platform, it.environment).one()
        same = other.spec.name == it.spec.name
        yield run(it.file if same else it.spec.name, it, case, target)
        yield run(other.file if same else other.spec.name, other, case, target)
        return
    other = refuse_errors(read(at_revision(specs.inputs, compare), (it.environment,), today())).one()
    yield run("now", it, case, target)
    yield run(compare, other, case, target)


def _as_file(compare: str, specs: ValidSpecs) -> Path | None:
    """A file, or the spec of this name; else it is a revision."""
    path = Path(compare)
    if path.is_file() or path.suffix in ENDINGS:
        return path
    named = specs.inputs.platform.path.parent / SPECS / f"{compare}.yaml"
    return named if named.is_file() else None


def _title(it: SpecContext[Pipeline], case: Case) -> str:
    return f"{it.spec.name} ({it.environment}): {case}"


def _tell(
    it: SpecContext[Pipeline], case: Case, results: Sequence[SimulationResult], target: int | None, *, as_json: bool
) -> None:
    from penstock_dev.simulating.table import table, told

    if as_json:
        runs = [told(one) for one in results]
        tell(json.dumps(_told(it, case, target) | {"runs": runs}, indent=2))
        return
    tell(painter()(_title(it, case), "bold"))
    tell()
    for number, line in enumerate(table(results, target).lines(columns())):
        if number or len(results) > 1:
            tell(line)


def _told(it: SpecContext[Pipeline], case: Case, target: int | None) -> dict[str, Any]:
    return {
        "spec": it.spec.name,
        "environment": it.environment,
        "case": str(case),
        "seed": case.seed,
        "oldest_under": target,
    }


def _swept(
    specs: ValidSpecs, case: Case, sweep: str, target: int | None, *, as_json: bool
) -> tuple[Sequence[SimulationResult], bool]:
    """As the spec is, and with the cheapest value where one does."""
    from penstock_dev.simulating.sweep import cheapest, read_sweep
    from penstock_dev.simulating.sweep_runs import run_sweep, summing_up, table, told

    if target is None:
        raise CannotGoOn("a sweep looks for the cheapest value that meets a target", "say one: `--oldest-under 1m`")
    asked = read_sweep(sweep)
    progress = Progress()
    as_is, tried = run_sweep(specs, case, asked, target, progress.show)
    progress.end()
    best = cheapest(tried)
    it = specs.one()
    if as_json:
        found = {"field": asked.field, "cheapest": best.value if best else None, "tried": [told(one) for one in tried]}
        tell(json.dumps(_told(it, case, target) | found, indent=2))
    else:
        tell(painter()(_title(it, case), "bold"))
        tell()
        tell_table(table(asked.field, tried))
        tell()
        tell(summing_up(asked.field, best, as_is, target))
    return [as_is, *([best.result.result] if best and best.result.result else [])], best is not None
