"""Earlier deaths of a message that was replayed, so that its next dead letter still tells of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from pydantic_core import from_json

LONGEST = 20
"""Deaths that are kept, the newest: a message that is replayed for ever must not grow for ever."""


@dataclass(frozen=True, slots=True)
class Death:
    """What a dead letter said, in short."""

    id: str
    """The entry that died."""
    reason: str
    error: str
    attempts: int
    at: int
    """Milliseconds since 1970, by Redis's clock."""


def write_story(story: Sequence[Death]) -> bytes:
    """The newest of them as JSON."""
    told = [asdict(one) for one in story[-LONGEST:]]
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def read_story(raw: bytes) -> tuple[Death, ...]:
    """What can be read of it. A story is for people, and nothing hangs on it."""
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
