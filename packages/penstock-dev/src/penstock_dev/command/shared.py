"""What the verbs share that simulate: the case, and specs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import click

from penstock.command.console import find_spec, here, painter, today
from penstock.command.operating import in_milliseconds
from penstock_spec.findings import CannotGoOn

if TYPE_CHECKING:
    from penstock_dev.simulating.specs import InvalidSpecs, ValidSpecs
    from penstock_scaling.traffic.patterns import Pattern
    from penstock_scaling.traffic.trace import Trace

F = TypeVar("F", bound=Callable[..., Any])
FILE = click.Path(path_type=Path)
SHAPES = ("steady", "poisson", "day", "burst", "outage")

seed_option = click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, metavar="N", help="What chance begins with."
)


def duration(name: str, says: str, default: str | None = None) -> Callable[[F], F]:
    """An option that is read as a spec's durations are, in milliseconds."""
    return click.option(
        name, callback=in_milliseconds, metavar="DURATION", default=default, show_default=default is not None, help=says
    )


TRAFFIC = (
    click.option(
        "--pattern", type=click.Choice(SHAPES), default="day", show_default=True, help="What comes, by shape."
    ),
    click.option("--rate", type=float, metavar="N", help="Messages a second: at the peak of a day or a burst."),
    duration("--lasts", "How long they come; a day, or 10m where the shape is another."),
    click.option("--trace", type=FILE, metavar="FILE", help="What came once, in CSV or JSON, instead of a pattern."),
)
PODS = (
    duration("--handling", "How long a message takes.", default="1s"),
    duration("--handling-p99", "One message of a hundred takes longer; `--handling` is then one in the middle."),
    click.option("--handling-sample", type=FILE, metavar="FILE", help="How long messages took, one time a line."),
    duration("--pod-start", "From a pod that is made to its first message.", default="10s"),
    duration("--node-start", "How much longer where a node must come first.", default="90s"),
    click.option("--node-pods", type=click.IntRange(1), metavar="N", help="Pods that fit on a node; all unless said."),
)


AWAY = (
    click.option(
        "--redis-away", metavar="START+SPAN", help="No Redis for a time: `10m+5m`, after ten minutes for five."
    ),
    click.option("--workers-away", metavar="START+SPAN", help="All workers are lost, and back after a time: `10m+5m`."),
)


def case_options(verb: F) -> F:
    """What is simulated, as `case`."""

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
                raise CannotGoOn("a trace says how much comes, and how long", "leave `--rate` and `--lasts` out")
            traffic: Pattern | Trace = read_trace(trace)
        elif rate is None:
            raise CannotGoOn("nothing says how much comes", "say `--rate 50`, or `--trace FILE`")
        else:
            traffic = case.pattern(pattern, rate, lasts)
        if handling_sample:
            takes = case.read_sample(handling_sample)
        else:
            takes = case.spread(handling / 1000, handling_p99 / 1000 if handling_p99 is not None else None)
        starts = case.StartTimes(case.whole_seconds(pod_start), case.whole_seconds(node_start), node_pods)
        said: tuple[tuple[Literal["redis", "workers"], str | None], ...]
        said = (("redis", redis_away), ("workers", workers_away))
        away = tuple(read_outage(of, text, traffic.lasts) for of, text in said if text is not None)
        return verb(*args, case=case.Case(traffic, takes, starts, seed, away), **rest)

    found = cast("F", with_case)
    for option in (seed_option, *reversed(AWAY), *reversed(PODS), *reversed(TRAFFIC)):
        found = option(found)
    return found


def one_spec(spec: Path, platform: Path | None, environment: str | None) -> ValidSpecs:
    """A file, or the spec of this name, in the environment that is asked for or the only one."""
    from penstock.own_templates import read_inputs
    from penstock.resolved import choose
    from penstock_dev.simulating.specs import read
    from penstock_spec.linting import check, lint
    from penstock_spec.repository import open_repository

    inputs = read_inputs(open_repository((find_spec(spec, platform),), platform, here()))
    known = lint.choose(check.check_platform(lint.load(inputs.platform)), (environment,) if environment else ())
    chosen = choose(environment, known)
    return refuse_errors(read(inputs, (chosen,) if chosen else (), today()))


def refuse_errors(found: ValidSpecs | InvalidSpecs) -> ValidSpecs:
    """Tell what is wrong with the specs, and end."""
    from penstock_dev.simulating.specs import InvalidSpecs
    from penstock_spec import report

    if isinstance(found, InvalidSpecs):
        click.echo(report.render("text", found.outcome, painter(sys.stderr)), nl=False, err=True)
        raise CannotGoOn("specs with errors are not simulated", "see `penstock lint`")
    return found
