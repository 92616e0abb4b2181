"""Under what a spec is simulated."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from penstock.operating.spans import count, span
from penstock_scaling.simulator import Handling, Outage
from penstock_scaling.traffic.patterns import DAY, Pattern, Shape
from penstock_scaling.traffic.trace import Trace
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.expect import LONGEST, Expectation
from penstock_spec.values.quantities import Duration
from penstock_spec.values.strings import printable

FASTEST = 1_000_000
TEN_MINUTES = 600_000
LASTS = {"day": DAY * 1000}
"""Milliseconds, where nobody says how long."""
LONGEST_SAMPLE = 1_000_000
"""Handling times in a file at the most."""
LARGEST_SAMPLE = 64 * 2**20
SAMPLE_HINT = "write one time a line, such as `250ms` or `1.5s`"
WORDS = {
    "steady": "steadily {rate} a second for {lasts}",
    "poisson": "at random {rate} a second for {lasts}",
    "day": "the curve of a day up to {rate} a second, for {lasts}",
    "burst": "a burst from {rate} a second down to nothing in {lasts}",
    "outage": "{rate} a second for {lasts}, with an outage and its flood",
}
AWAY = {"redis": "Redis", "workers": "workers"}


@dataclass(frozen=True, slots=True)
class StartTimes:
    """Seconds until a pod works, and how much longer where a node comes first; None: there is always room."""

    pod: int
    node: int
    node_pods: int | None


@dataclass(frozen=True, slots=True)
class Case:
    """What comes, how long it takes, how fast pods start, and what chance begins with."""

    traffic: Pattern | Trace
    handling: Handling
    starts: StartTimes
    seed: int = 1
    away: tuple[Outage, ...] = ()
    """What is away for a time."""

    def __str__(self) -> str:
        """In words."""
        traffic = self.traffic
        lasts = span(traffic.lasts * 1000)
        if isinstance(traffic, Trace):
            told = f"{count(sum(traffic.counts))} recorded messages in {lasts}"
        else:
            told = WORDS[traffic.shape].format(rate=f"{traffic.rate:g}", lasts=lasts)
        return told + "".join(
            f"; no {AWAY[one.of]} for {span(one.lasts * 1000)} from {span(one.start * 1000)} on" for one in self.away
        )


def of_expectation(one: Expectation, seed: int) -> Case:
    """As a spec tells it."""
    traffic = Pattern(one.traffic.pattern, float(one.traffic.rate), whole_seconds(one.traffic.lasts.amount))
    p99 = one.handling_p99.seconds if one.handling_p99 else None
    starts = StartTimes(whole_seconds(one.pod_start.amount), whole_seconds(one.node_start.amount), one.node_pods)
    return Case(traffic, spread(one.handling.seconds, p99), starts, seed)


def whole_seconds(milliseconds: int) -> int:
    """Rounded up."""
    return -(-milliseconds // 1000)


def pattern(shape: Shape, rate: float, milliseconds: int | None) -> Pattern:
    """As a command says it."""
    lasts = Duration.of(LASTS.get(shape, TEN_MINUTES) if milliseconds is None else milliseconds)
    if not 0 < rate <= FASTEST:
        raise CannotGoOn(f"{rate:g} messages a second cannot be", f"say from above 0 to {FASTEST:,}: `--rate 50`")
    if not 0 < lasts.amount <= LONGEST.amount:
        raise CannotGoOn(f"traffic for {lasts} cannot be simulated", f"let it last for up to `{LONGEST}`")
    return Pattern(shape, rate, whole_seconds(lasts.amount))


def spread(median: float, p99: float | None) -> Handling:
    """Around the middle where a slow end is said."""
    if p99 is None:
        return Handling.fixed(median)
    if not 0 < median < p99:
        says = f"one of a hundred messages takes longer than {p99:g}s, and one in the middle {median:g}s"
        raise CannotGoOn(says, "give `--handling-p99` more than `--handling`, or leave it out")
    return Handling.spread(median, p99)


def read_sample(path: Path) -> Handling:
    """Handling times from a file, one a line."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_SAMPLE + 1)
        lines = raw.decode("utf-8-sig").splitlines()
    except OSError as error:
        raise CannotGoOn(f"`{path}` cannot be read: {error.strerror}", "name a file of handling times") from None
    except UnicodeDecodeError:
        raise CannotGoOn(f"`{path}` is no text in UTF-8", SAMPLE_HINT) from None
    said = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    if not said or len(said) > LONGEST_SAMPLE or len(raw) > LARGEST_SAMPLE:
        much = "nothing" if not said else f"more than {LONGEST_SAMPLE:,} times"
        raise CannotGoOn(f"`{path}` has {much} in it", SAMPLE_HINT)
    return Handling.sample([_time(path, number, text) for number, text in said])


def _time(path: Path, number: int, text: str) -> float:
    try:
        return Duration.read(text) / 1000
    except ValueError:
        raise CannotGoOn(f"`{path}:{number}`: `{printable(text)}` is no duration", SAMPLE_HINT) from None
