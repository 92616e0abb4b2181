"""Decides what follows a failed attempt: another one after a wait, or a dead letter."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias

from penstock.handling.backoff import growing, jittered
from penstock.handling.failures import Failure, FailureMatcher
from penstock_spec.kinds.pipeline.waits import Waits, waits
from penstock_spec.kinds.pipeline.work import Retries


@dataclass(frozen=True, slots=True)
class ParkDecision:
    """Try again after this many milliseconds."""

    wait_ms: int
    class_name: str
    """The failure class that decided; empty if none matched."""


@dataclass(frozen=True, slots=True)
class BuryDecision:
    """Do not try again: no attempt is left, or the handler refused the message."""

    reason: Literal["failed", "refused"]


Decision: TypeAlias = ParkDecision | BuryDecision


class RetryPolicy:
    """The `retries` of a spec, prepared for decisions."""

    def __init__(self, retries: Retries) -> None:
        """The first failure class that matches decides."""
        self._default, *rest = waits(retries)
        self._classes = tuple(
            (FailureMatcher.of(one.match), wait) for one, wait in zip(retries.classes.values(), rest, strict=True)
        )

    def decide(self, failure: Failure, attempt: int, rng: Random) -> Decision:
        """Decide what follows this attempt; the first is 1."""
        chosen = next((wait for match, wait in self._classes if match.matches(failure)), self._default)
        if failure.final:
            return BuryDecision("refused")
        if attempt >= chosen.attempts:
            return BuryDecision("failed")
        return ParkDecision(
            wait_after(chosen, attempt, rng) if failure.wait_ms is None else failure.wait_ms, chosen.name
        )


def wait_after(terms: Waits, attempt: int, rng: Random) -> int:
    """Milliseconds from this attempt to the next. The limit also applies after jitter."""
    wait = growing(terms.first.amount, float(terms.factor), terms.limit.amount, attempt)
    return min(int(jittered(wait, terms.jitter, rng)), terms.limit.amount)
