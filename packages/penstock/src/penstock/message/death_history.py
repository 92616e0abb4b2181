"""Earlier deaths of a replayed message, which its next dead letter keeps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from pydantic_core import from_json

LONGEST = 20
"""How many deaths to keep, the newest: a message that is replayed for ever must not grow for ever."""


@dataclass(frozen=True, slots=True)
class Death:
    """A summary of a dead letter."""

    id: str
    """The id of the dead entry."""
    reason: str
    error: str
    attempts: int
    at: int
    """Milliseconds since 1970, in Redis time."""


def write_history(story: Sequence[Death]) -> bytes:
    """Return the newest deaths as JSON."""
    told = [asdict(one) for one in story[-LONGEST:]]
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def read_history(raw: bytes) -> tuple[Death, ...]:
    """Read valid deaths and ignore the rest: the history is for people only."""
    try:
        told = from_json(raw)
    except ValueError:
        return ()
    deaths = (_death(one) for one in told[-LONGEST:]) if isinstance(told, list) else ()
    return tuple(one for one in deaths if one is not None)


def _death(told: object) -> Death | None:
    match told:
        case {"id": str(entry), "reason": str(reason), "error": str(error), "attempts": int(attempts), "at": int(at)}:
            return Death(entry, reason, error, attempts, at)
        case _:
            return None
