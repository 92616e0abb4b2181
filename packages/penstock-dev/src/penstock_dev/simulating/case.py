"""The conditions of a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from penstock_scaling.simulator import HandlingTimes, Outage
from penstock_scaling.traffic.patterns import DAY, Pattern, PatternShape
from penstock_scaling.traffic.trace import Trace
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.expect import LONGEST, Expectation
from penstock_spec.values.display import count, span
from penstock_spec.values.quantities import Duration
from penstock_spec.values.strings import printable

MAX_RATE = 1_000_000
DEFAULT_DURATION = 600_000
DEFAULT_DURATIONS = {"day": DAY * 1000}
"""Milliseconds."""
MAX_SAMPLE = 1_000_000
"""Handling times per file."""
MAX_SAMPLE_BYTES = 64 * 2**20
SAMPLE_HINT = "write one time per line, such as `250ms` or `1.5s`"
PATTERN_TEXTS = {
    "steady": "steady {rate}/s for {lasts}",
    "poisson": "random arrivals at {rate}/s for {lasts}",
    "day": "daily curve with a peak of {rate}/s, for {lasts}",
    "burst": "burst of {rate}/s that falls to zero in {lasts}",
    "outage": "{rate}/s for {lasts}, with an outage and a flood after it",
}
OUTAGE_NAMES = {"redis": "Redis", "workers": "workers"}


@dataclass(frozen=True, slots=True)
class StartTimes:
    """Seconds until a pod works, additional seconds for a new node, and pods per node; None is unlimited."""

    pod: int
    node: int
    node_pods: int | None


@dataclass(frozen=True, slots=True)
class Case:
    """Traffic, handling times, start times, the random seed and outages."""

    traffic: Pattern | Trace
    handling: HandlingTimes
    starts: StartTimes
    seed: int = 1
    away: tuple[Outage, ...] = ()

    def __str__(self) -> str:
        """One line for people."""
        traffic = self.traffic
        lasts = span(traffic.lasts * 1000)
        if isinstance(traffic, Trace):
            total = sum(traffic.counts)
            text = f"{count(total)} recorded {'message' if total == 1 else 'messages'} in {lasts}"
        else:
            text = PATTERN_TEXTS[traffic.shape].format(rate=f"{traffic.rate:g}", lasts=lasts)
        return text + "".join(
            f"; {OUTAGE_NAMES[one.of]} down for {span(one.lasts * 1000)} after {span(one.start * 1000)}"
            for one in self.away
        )


def of_expectation(one: Expectation, seed: int) -> Case:
    """The case of an expectation."""
    traffic = Pattern(one.traffic.pattern, float(one.traffic.rate), whole_seconds(one.traffic.lasts.amount))
    p99 = one.handling_p99.seconds if one.handling_p99 else None
    starts = StartTimes(whole_seconds(one.pod_start.amount), whole_seconds(one.node_start.amount), one.node_pods)
    return Case(traffic, spread(one.handling.seconds, p99), starts, seed)


def whole_seconds(milliseconds: int) -> int:
    """Seconds, rounded up."""
    return -(-milliseconds // 1000)


def pattern(shape: PatternShape, rate: float, milliseconds: int | None) -> Pattern:
    """Traffic from command-line options."""
    lasts = Duration.of(DEFAULT_DURATIONS.get(shape, DEFAULT_DURATION) if milliseconds is None else milliseconds)
    if not 0 < rate <= MAX_RATE:
        raise CannotGoOn(
            f"the rate {rate:g} is out of range",
            f"give messages per second, above 0 and up to {MAX_RATE:,}: `--rate 50`",
        )
    if not 0 < lasts.amount <= LONGEST.amount:
        raise CannotGoOn(f"traffic cannot last {lasts}", f"use more than 0 and at most `{LONGEST}`")
    return Pattern(shape, rate, whole_seconds(lasts.amount))


def spread(median: float, p99: float | None) -> HandlingTimes:
    """Fixed handling times, or a log-normal distribution if there is a p99."""
    if p99 is None:
        return HandlingTimes.fixed(median)
    if not 0 < median < p99:
        says = f"the p99 of handling, {p99:g}s, is not above its median, {median:g}s"
        raise CannotGoOn(says, "raise `--handling-p99` above `--handling`, or omit it")
    return HandlingTimes.spread(median, p99)


def read_sample(path: Path) -> HandlingTimes:
    """Handling times from a file, one per line."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_SAMPLE_BYTES + 1)
        lines = raw.decode("utf-8-sig").splitlines()
    except OSError as error:
        raise CannotGoOn(f"cannot read `{path}`: {error.strerror}", "name a file of handling times") from None
    except UnicodeDecodeError:
        raise CannotGoOn(f"`{path}` is not UTF-8 text", SAMPLE_HINT) from None
    lines_with_text = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    if not lines_with_text or len(lines_with_text) > MAX_SAMPLE or len(raw) > MAX_SAMPLE_BYTES:
        problem = "is empty" if not lines_with_text else f"has more than {MAX_SAMPLE:,} times"
        raise CannotGoOn(f"`{path}` {problem}", SAMPLE_HINT)
    return HandlingTimes.sample([_time(path, number, text) for number, text in lines_with_text])


def _time(path: Path, number: int, text: str) -> float:
    try:
        return Duration.read(text) / 1000
    except ValueError:
        raise CannotGoOn(f"`{path}:{number}`: `{printable(text)}` is not a duration", SAMPLE_HINT) from None
