"""The history of deaths of a replayed message, which its next dead letter includes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from pydantic_core import from_json

LONGEST = 20
"""How many of the newest deaths are kept, so that a message that is replayed often does not grow forever."""


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


def write_history(deaths: Sequence[Death]) -> bytes:
    """Return the newest deaths as JSON."""
    newest = [asdict(death) for death in deaths[-LONGEST:]]
    return json.dumps(newest, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def read_history(raw: bytes) -> tuple[Death, ...]:
    """Read valid deaths and ignore the rest: the history is only for people."""
    try:
        history = from_json(raw)
    except ValueError:
        return ()
    deaths = (_death(death) for death in history[-LONGEST:]) if isinstance(history, list) else ()
    return tuple(death for death in deaths if death is not None)


def _death(value: object) -> Death | None:
    match value:
        case {"id": str(entry), "reason": str(reason), "error": str(error), "attempts": int(attempts), "at": int(at)}:
            return Death(entry, reason, error, attempts, at)
        case _:
            return None
