"""What goes into a child, and what may come of it."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from penstock.handling.failures import Failure
from penstock.isolation.protocol import JSON

CancelReason: TypeAlias = Literal["timeout", "lost", "drain"]
"""Why a errand is cancelled: its time is over, its worker's lease was lost, or its worker shuts down."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One message, delivered once."""

    id: bytes
    fields: tuple[tuple[bytes, bytes], ...]
    attempt: int
    fence: int
    consumer: str
    seconds_left: float | None = None
    """Until its deadline: when it was handed over, and in the child when it arrived there. None is no deadline."""


@dataclass(frozen=True, slots=True)
class ProgressReport:
    """What a handler says on its way."""

    delivery: bytes
    told: JSON


@dataclass(frozen=True, slots=True)
class Returned:
    """The work was done; what it gave back."""

    result: bytes


@dataclass(frozen=True, slots=True)
class Crashed:
    """The process ended under the message."""

    code: int | None
    """Its exit code, negative for the signal that killed it; None when nobody is left to tell."""
    text: str


@dataclass(frozen=True, slots=True)
class Killed:
    """It was cancelled, and has ended without an outcome."""

    why: CancelReason
    by_force: bool
    """It did not stop when it was asked, and its process was killed."""
    begun: bool = field(default=True, compare=False)
    """A child had it; else it was called off while the child was made."""


RunResult: TypeAlias = Returned | Failure | Crashed | Killed


def describe_exit(code: int | None) -> str:
    """Tell an exit code in words."""
    if code is None:
        return "it ended, and nobody saw how"
    if code >= 0:
        return f"it ended with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"it was killed by {name}"
