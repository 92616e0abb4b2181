"""The possible outcomes of an attempt, in this process or in a child."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, dataclass
from typing import TypeAlias, cast

from penstock.handling.failures import Failure
from penstock.isolation.runs import Crashed
from penstock.message.unreadable import Reason
from penstock.worker.delivery import Result


@dataclass(frozen=True, slots=True)
class Done:
    """The handler returned."""

    result: Result | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The handler raised."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The message cannot be passed to the handler."""

    reason: Reason
    says: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """The attempt was cancelled, and has ended."""

    thread: asyncio.Future[object] | None = None
    """The thread of a plain function that still runs; threads cannot be cancelled."""
    out_of_memory: bool = False


@dataclass(frozen=True, slots=True)
class NotStarted:
    """The attempt could not start, for a reason outside the message."""

    why: str


NotDone: TypeAlias = Failed | Unreadable | Crashed | Stopped | NotStarted
Outcome: TypeAlias = Done | NotDone

DONE = Done()
"""Shared, because nearly all attempts end like this."""
STOPPED = Stopped()


def encode(outcome: Outcome) -> bytes:
    """Encode the outcome that a child sends to its worker."""
    data: dict[str, object] = {}
    match outcome:
        case Done(result):
            if result is not None:
                data = {"result": result.value.decode(), "keep": result.keep}
        case Failed(failure):
            data = {"failure": asdict(failure)}
        case Unreadable(reason, says):
            data = {"unreadable": [reason, says]}
        case Stopped():
            data = {"stopped": True}
        case NotStarted(why):
            data = {"not_started": why}
        case Crashed():
            raise TypeError("a crashed child sends no outcome")
    return json.dumps(data).encode()


def decode(text: bytes) -> Outcome:
    """Decode the result of `encode`."""
    match json.loads(text):
        case {"result": result, "keep": keep}:
            return Done(Result(result.encode(), keep))
        case {"failure": failure}:
            return Failed(Failure.from_json(failure))
        case {"unreadable": [reason, says]}:
            return Unreadable(cast("Reason", reason), says)
        case {"stopped": True}:
            return STOPPED
        case {"not_started": why}:
            return NotStarted(why)
        case {**more} if not more:
            return DONE
    raise ValueError("not an outcome of an attempt")
