"""How long the retries of a message may take: arithmetic over `work` and `retries`.

No wait is longer than its limit, jitter included. A class takes from `retries.backoff` what it does not say itself; a
limit taken from there does not shorten a first wait that the class says.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from penstock_spec.context import SpecContext
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.work import Retries, RetryClass
from penstock_spec.values.quantities import Duration


@dataclass(frozen=True, slots=True)
class Waits:
    """The attempts of one class of failures, and the waits between them. Failures of no class have no name."""

    name: str
    attempts: int
    first: Duration
    factor: float
    limit: Duration
    jitter: float

    @property
    def path(self) -> str:
        """Where they are said."""
        return f"retries.classes.{self.name}" if self.name else "retries"

    def longest(self, timeout: Duration) -> Duration:
        """From the first delivery to the end of the last attempt, at the slowest; in whole seconds, rounded up."""
        wait, waited = self.first.amount * (1 + self.jitter), 0.0
        for left in range(self.attempts - 1, 0, -1):
            if wait >= self.limit.amount:  # and so are all that follow
                waited += left * self.limit.amount
                break
            waited += wait
            wait *= self.factor
        seconds = math.ceil(round(self.attempts * timeout.amount + waited, 3) / 1000)
        return Duration.of(seconds * 1000)


def waits(retries: Retries) -> Iterator[Waits]:
    """Those of failures without a class, then those of each class."""
    usual = retries.backoff
    yield Waits("", retries.attempts, usual.first, usual.factor, usual.limit, usual.jitter)
    for name, one in retries.classes.items():
        yield _of_class(name, one, retries)


def _of_class(name: str, one: RetryClass, retries: Retries) -> Waits:
    own, usual = one.backoff, retries.backoff
    attempts = retries.attempts if one.attempts is None else one.attempts
    if own is None:
        return Waits(name, attempts, usual.first, usual.factor, usual.limit, usual.jitter)
    first = own.first or usual.first
    return Waits(
        name,
        attempts,
        first,
        usual.factor if own.factor is None else own.factor,
        own.limit or (max(usual.limit, first) if own.first else usual.limit),
        usual.jitter if own.jitter is None else own.jitter,
    )


def longest_life(subject: SpecContext[Pipeline]) -> tuple[Duration, str, str]:
    """The longest that retries may take, a clause that says why, and the path of what makes it so long."""
    timeout = subject.spec.work.timeout
    longest, slowest = max(
        ((one.longest(timeout), one) for one in waits(subject.spec.retries)), key=lambda pair: pair[0]
    )
    whose = f" of class `{slowest.name}`" if slowest.name else ""
    attempts = (
        f"{slowest.attempts} attempts{whose}, with the waits between,"
        if slowest.attempts > 1
        else f"one attempt{whose}"
    )
    said = (f"{slowest.path}.{field}" for field in ("backoff.first", "backoff.limit", "backoff.factor", "attempts"))
    at = subject.written(*said, "work.timeout" if not slowest.name else slowest.path)
    return longest, f"{attempts} may take {longest} ({subject.line(slowest.path)})", at
