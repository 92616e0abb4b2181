"""The result of checking an expectation."""

from __future__ import annotations

from dataclasses import dataclass

from penstock_dev.simulating.clock import clock
from penstock_spec.findings import Span


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one condition."""

    condition: str
    """The field, such as `oldest_under`."""
    wanted: str
    """The condition in words: `no message waits longer than 1m`."""
    measured: str
    broken_at: int | None = None
    """The second at which it broke; None if it held."""


@dataclass(frozen=True, slots=True)
class CheckedExpectation:
    """An expectation of a spec in an environment, with its verdicts."""

    spec: str
    environment: str
    expectation: str
    at: Span
    verdicts: tuple[Verdict, ...]

    @property
    def broken(self) -> tuple[Verdict, ...]:
        """The conditions that broke."""
        return tuple(one for one in self.verdicts if one.broken_at is not None)


def describe(one: Verdict) -> str:
    """The verdict on one line."""
    broken = "" if one.broken_at is None else f"; broken at second {one.broken_at} ({clock(one.broken_at)})"
    return f"{one.wanted}: {one.measured}{broken}"
