"""Requests to run a message in a child, and their results."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from penstock.handling.failures import Failure
from penstock.isolation.protocol import JSON

CancelReason: TypeAlias = Literal["timeout", "lost", "drain"]
"""Why a message is cancelled: its timeout, a lost lease of its worker, or the drain of its worker."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One delivery of a message."""

    id: bytes
    fields: tuple[tuple[bytes, bytes], ...]
    attempt: int
    fence: int
    consumer: str
    seconds_left: float | None = None
    """Until the deadline, from the time when the pool or the child got the request. None is no deadline."""


@dataclass(frozen=True, slots=True)
class ProgressReport:
    """A handler's report of its progress."""

    delivery: bytes
    value: JSON


@dataclass(frozen=True, slots=True)
class Returned:
    """The program returned."""

    result: bytes


@dataclass(frozen=True, slots=True)
class Crashed:
    """The process ended while it ran the message."""

    code: int | None
    """The exit code, negative for the signal that killed the process; None if it is unknown."""
    text: str


@dataclass(frozen=True, slots=True)
class Killed:
    """The message was cancelled, and has ended without a result."""

    why: CancelReason
    by_force: bool
    """Whether its process was killed because the message did not stop."""
    started: bool = field(default=True, compare=False)
    """Whether a child had the message; else it was cancelled before a child was ready."""


RunResult: TypeAlias = Returned | Failure | Crashed | Killed


def describe_exit(code: int | None) -> str:
    """Describe an exit code in words."""
    if code is None:
        return "it ended, with an unknown exit code"
    if code >= 0:
        return f"it ended with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"it was killed by {name}"
