"""How long all attempts of a message may take, computed from `work` and `retries`.

No wait is longer than its limit, including jitter. A class inherits missing fields from `retries.backoff`; an inherited
limit does not shorten the class's own first wait.
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
    """The attempts of one failure class and the waits between them. The name is empty for failures of no class."""

    name: str
    attempts: int
    first: Duration
    factor: float
    limit: Duration
    jitter: float

    @property
    def path(self) -> str:
        """Their path in the spec."""
        return f"retries.classes.{self.name}" if self.name else "retries"

    def longest(self, timeout: Duration) -> Duration:
        """The longest time from the first delivery to the end of the last attempt, rounded up to whole seconds."""
        wait, waited = self.first.amount * (1 + self.jitter), 0.0
        for left in range(self.attempts - 1, 0, -1):
            if wait >= self.limit.amount:  # all following waits too
                waited += left * self.limit.amount
                break
            waited += wait
            wait *= self.factor
        seconds = math.ceil(round(self.attempts * timeout.amount + waited, 3) / 1000)
        return Duration.of(seconds * 1000)


def waits(retries: Retries) -> Iterator[Waits]:
    """The waits of failures without a class, then of each class."""
    default = retries.backoff
    yield Waits("", retries.attempts, default.first, default.factor, default.limit, default.jitter)
    for name, one in retries.classes.items():
        yield _of_class(name, one, retries)


def _of_class(name: str, one: RetryClass, retries: Retries) -> Waits:
    own, default = one.backoff, retries.backoff
    attempts = retries.attempts if one.attempts is None else one.attempts
    if own is None:
        return Waits(name, attempts, default.first, default.factor, default.limit, default.jitter)
    first = own.first or default.first
    return Waits(
        name,
        attempts,
        first,
        default.factor if own.factor is None else own.factor,
        own.limit or (max(default.limit, first) if own.first else default.limit),
        default.jitter if own.jitter is None else own.jitter,
    )


def longest_retries(subject: SpecContext[Pipeline]) -> tuple[Duration, str, str]:
    """The longest time that retries may take, the text that explains it, and the path of its cause."""
    timeout = subject.spec.work.timeout
    longest, slowest = max(
        ((one.longest(timeout), one) for one in waits(subject.spec.retries)), key=lambda pair: pair[0]
    )
    of_class = f" of class `{slowest.name}`" if slowest.name else ""
    attempts = (
        f"{slowest.attempts} attempts{of_class} and the waits between them"
        if slowest.attempts > 1
        else f"one attempt{of_class}"
    )
    paths = (f"{slowest.path}.{field}" for field in ("backoff.first", "backoff.limit", "backoff.factor", "attempts"))
    at = subject.first_set(*paths, "work.timeout" if not slowest.name else slowest.path)
    return longest, f"{attempts} may take {longest} ({subject.line(slowest.path)})", at
