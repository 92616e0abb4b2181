"""Options and specs that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import click

from penstock.terminal.console import here, painter, today
from penstock.terminal.options import find_spec, parse_duration
from penstock_spec.findings import CannotGoOn

if TYPE_CHECKING:
    from penstock_dev.simulating.specs import InvalidSpecs, ValidSpecs
    from penstock_scaling.traffic.patterns import Pattern
    from penstock_scaling.traffic.trace import Trace

F = TypeVar("F", bound=Callable[..., Any])
FILE = click.Path(path_type=Path)
SHAPES = ("steady", "poisson", "day", "burst", "outage")

seed_option = click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, metavar="N", help="The random seed."
)


def duration(name: str, help_text: str, default: str | None = None) -> Callable[[F], F]:
    """An option with a duration as specs write it, in milliseconds."""
    return click.option(
        name,
        callback=parse_duration,
        metavar="DURATION",
        default=default,
        show_default=default is not None,
        help=help_text,
    )


TRAFFIC = (
    click.option(
        "--pattern", type=click.Choice(SHAPES), default="day", show_default=True, help="The shape of the traffic."
    ),
    click.option("--rate", type=float, metavar="N", help="Messages per second; the peak of a day or a burst."),
    duration("--lasts", "How long the traffic lasts; by default a day, or 10m for other shapes."),
    click.option("--trace", type=FILE, metavar="FILE", help="Recorded traffic in CSV or JSON, instead of a pattern."),
)
PODS = (
    duration("--handling", "How long a message takes.", default="1s"),
    duration("--handling-p99", "The p99 of handling times; `--handling` is then their median."),
    click.option("--handling-sample", type=FILE, metavar="FILE", help="Measured handling times, one per line."),
    duration("--pod-start", "Time from a pod's creation to its first message.", default="10s"),
    duration("--node-start", "Additional time if the pod needs a new node.", default="90s"),
    click.option("--node-pods", type=click.IntRange(1), metavar="N", help="Pods per node; unlimited by default."),
)


OUTAGES = (
    click.option(
        "--redis-away", metavar="START+SPAN", help="An outage of Redis: `10m+5m` starts after ten minutes, for five."
    ),
    click.option("--workers-away", metavar="START+SPAN", help="An outage of all workers: `10m+5m`."),
)


def case_options(verb: F) -> F:
    """Add the options of a case, and pass it as `case`."""

    @wraps(verb)
    def with_case(
        *args: object,
        pattern: Literal["steady", "poisson", "day", "burst", "outage"],
        rate: float | None,
        lasts: int | None,
        trace: Path | None,
        handling: int,
        handling_p99: int | None,
        handling_sample: Path | None,
        pod_start: int,
        node_start: int,
        node_pods: int | None,
        redis_away: str | None,
        workers_away: str | None,
        seed: int,
        **rest: object,
    ) -> object:
        from penstock_dev.simulating import case
        from penstock_dev.simulating.outages import read_outage

        if trace:
            from penstock_dev.simulating.traces import read_trace

            if rate is not None or lasts is not None:
                raise CannotGoOn(
                    "`--trace` cannot be combined with `--rate` or `--lasts`", "omit `--rate` and `--lasts`"
                )
            traffic: Pattern | Trace = read_trace(trace)
        elif rate is None:
            raise CannotGoOn("`--rate` is missing", "give `--rate 50`, or `--trace FILE`")
        else:
            traffic = case.pattern(pattern, rate, lasts)
        if handling_sample:
            handling_times = case.read_sample(handling_sample)
        else:
            handling_times = case.spread(handling / 1000, handling_p99 / 1000 if handling_p99 is not None else None)
        starts = case.StartTimes(case.whole_seconds(pod_start), case.whole_seconds(node_start), node_pods)
        outages: tuple[tuple[Literal["redis", "workers"], str | None], ...]
        outages = (("redis", redis_away), ("workers", workers_away))
        away = tuple(read_outage(of, text, traffic.lasts) for of, text in outages if text is not None)
        return verb(*args, case=case.Case(traffic, handling_times, starts, seed, away), **rest)

    decorated = cast("F", with_case)
    for option in (seed_option, *reversed(OUTAGES), *reversed(PODS), *reversed(TRAFFIC)):
        decorated = option(decorated)
    return decorated


def one_spec(spec: Path, platform: Path | None, environment: str | None) -> ValidSpecs:
    """The spec of a file or name, in the requested or the only environment."""
    from penstock.own_templates import read_inputs
    from penstock.resolved import choose
    from penstock_dev.simulating.specs import read
    from penstock_spec.linting import check, lint
    from penstock_spec.repository import open_repository

    inputs = read_inputs(open_repository((find_spec(spec, platform),), platform, here()))
    known = lint.choose_environments(
        check.check_platform(lint.load(inputs.platform)), (environment,) if environment else ()
    )
    chosen = choose(environment, known)
    return refuse_errors(read(inputs, (chosen,) if chosen else (), today()))


def refuse_errors(specs: ValidSpecs | InvalidSpecs) -> ValidSpecs:
    """Report the errors of invalid specs and stop."""
    from penstock_dev.simulating.specs import InvalidSpecs
    from penstock_spec import report

    if isinstance(specs, InvalidSpecs):
        click.echo(report.render("text", specs.outcome, painter(sys.stderr)), nl=False, err=True)
        raise CannotGoOn("the specs have errors", "see `penstock lint`")
    return specs
