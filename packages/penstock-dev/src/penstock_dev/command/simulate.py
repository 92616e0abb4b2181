"""`penstock simulate`: simulate a spec under traffic."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from penstock.terminal.console import painter, today
from penstock.terminal.options import environment_option, json_option, platform_option
from penstock.terminal.output import Progress, columns, print_line, print_table
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
"""The exit code if the target is missed."""


@click.command(name="simulate", short_help="Simulate a spec under traffic, before it is deployed.")
@click.argument("spec", type=FILE)
@case_options
@duration("--oldest-under", "The target: the longest that a message may wait.")
@click.option("--compare", metavar="OTHER", help="Compare with another spec, or with this one in a git revision.")
@click.option("--sweep", metavar="FIELD=VALUES", help="Try `a..b` or `a,b,c` for a field, and find the cheapest.")
@click.option("--draw", type=FILE, metavar="FILE", help="Write a plot as `.svg` or `.png`.")
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
    """Simulate SPEC (a file, or its name) under traffic: how long messages wait, and how many pods there are.

    KEDA and the HPA decide as in a cluster, by the ScaledObject that would be generated. A simulation starts with the
    minimum number of pods. The same random seed gives the same result.

    \b
    steady    the rate, evenly
    poisson   the rate, with random arrivals
    day       from a tenth of the rate at midnight to the rate at noon, and back
    burst     the rate at once, falling to zero
    outage    the rate; nothing for a third of the time; ten times the rate until the rest has caught up

    A CSV trace has lines of `time,count`, or of times only, one per message. A JSON trace is Prometheus's response to a
    range query for messages per second, such as `sum(rate(penstock_sent_total[1m]))`.

    A sweep tries values for one field. Of those that meet the target, it finds the one with the fewest pod-hours.
    Values that `penstock lint` refuses are left out. The exit code is 1 if the target is missed.

    \b
    Examples:
      penstock simulate media-cluster --rate 50 --handling 2s --env production
      penstock simulate media-cluster --trace monday.csv --compare origin/main --draw monday.svg
      penstock simulate media-cluster --rate 50 --oldest-under 1m --sweep scaling.backlog_per_replica=4..64
    """
    from penstock_dev.simulating.case import whole_seconds

    if sweep and compare:
        raise CannotGoOn("`--sweep` and `--compare` exclude each other", "compare with a spec that has the value")
    if draw and draw.suffix not in PICTURES:
        raise CannotGoOn(f"`{draw}` is neither SVG nor PNG", "use the suffix `.svg` or `.png`")
    if oldest_under == 0:
        raise CannotGoOn("`--oldest-under` must be above 0", "give a target such as `--oldest-under 1m`")
    target = None if oldest_under is None else whole_seconds(oldest_under)
    specs = one_spec(spec, platform, environment)
    subject = specs.one()
    if sweep:
        results, met = _sweep(specs, case, sweep, target, as_json=as_json)
    else:
        results = list(_runs(specs, case, compare, platform, target))
        met = target is None or not results[0].run.summary.over_target
        _print_runs(subject, case, results, target, as_json=as_json)
    if draw:
        from penstock_dev.simulating.plot import plot

        plot(draw, _title(subject, case), [one.curves() for one in results], target)
    ctx.exit(0 if met else MISSED)


def _runs(
    specs: ValidSpecs, case: Case, compare: str | None, platform: Path | None, target: int | None
) -> Iterator[SimulationResult]:
    """The simulated spec, and the one to compare with."""
    from penstock_dev.simulating.git import at_revision
    from penstock_dev.simulating.simulation import simulate_spec
    from penstock_dev.simulating.specs import read

    subject = specs.one()
    if compare is None:
        yield simulate_spec("", subject, case, target)
        return
    if file := _as_file(compare, specs):
        other = one_spec(file, platform, subject.environment).one()
        same = other.spec.name == subject.spec.name
        yield simulate_spec(subject.file if same else subject.spec.name, subject, case, target)
        yield simulate_spec(other.file if same else other.spec.name, other, case, target)
        return
    other = refuse_errors(read(at_revision(specs.inputs, compare), (subject.environment,), today())).one()
    yield simulate_spec("now", subject, case, target)
    yield simulate_spec(compare, other, case, target)


def _as_file(compare: str, specs: ValidSpecs) -> Path | None:
    """The path of a file, or of the spec with this name; None for a revision."""
    path = Path(compare)
    if path.is_file() or path.suffix in ENDINGS:
        return path
    named = specs.inputs.platform.path.parent / SPECS / f"{compare}.yaml"
    return named if named.is_file() else None


def _title(subject: SpecContext[Pipeline], case: Case) -> str:
    return f"{subject.spec.name} ({subject.environment}): {case}"


def _print_runs(
    subject: SpecContext[Pipeline],
    case: Case,
    results: Sequence[SimulationResult],
    target: int | None,
    *,
    as_json: bool,
) -> None:
    from penstock_dev.simulating.table import table, to_json

    if as_json:
        runs = [to_json(one) for one in results]
        print_line(json.dumps(_header(subject, case, target) | {"runs": runs}, indent=2))
        return
    print_line(painter()(_title(subject, case), "bold"))
    print_line()
    for number, line in enumerate(table(results, target).lines(columns())):
        if number or len(results) > 1:
            print_line(line)


def _header(subject: SpecContext[Pipeline], case: Case, target: int | None) -> dict[str, Any]:
    return {
        "spec": subject.spec.name,
        "environment": subject.environment,
        "case": str(case),
        "seed": case.seed,
        "oldest_under": target,
    }


def _sweep(
    specs: ValidSpecs, case: Case, sweep: str, target: int | None, *, as_json: bool
) -> tuple[Sequence[SimulationResult], bool]:
    """The current spec, and the one with the cheapest value if there is one."""
    from penstock_dev.simulating.sweep import cheapest, read_sweep
    from penstock_dev.simulating.sweep_runs import conclusion, run_sweep, table, to_json

    if target is None:
        raise CannotGoOn("`--sweep` needs a target", "add one, such as `--oldest-under 1m`")
    values = read_sweep(sweep)
    progress = Progress()
    current, tried = run_sweep(specs, case, values, target, progress.show)
    progress.end()
    best = cheapest(tried)
    subject = specs.one()
    if as_json:
        swept = {
            "field": values.field,
            "cheapest": best.value if best else None,
            "tried": [to_json(one) for one in tried],
        }
        print_line(json.dumps(_header(subject, case, target) | swept, indent=2))
    else:
        print_line(painter()(_title(subject, case), "bold"))
        print_line()
        print_table(table(values.field, tried))
        print_line()
        print_line(conclusion(values.field, best, current, target))
    return [current, *([best.result.result] if best and best.result.result else [])], best is not None
