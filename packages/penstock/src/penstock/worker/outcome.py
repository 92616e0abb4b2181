"""How an attempt ended, as it comes out of a child process."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from penstock.handling.failures import Failure


@dataclass(frozen=True, slots=True)
class Outcome:
    """Done, unless something is said here."""

    unstarted: str | None = None
    """Why the attempt could not be begun."""
    failure: Failure | None = None
    unreadable: tuple[str, str] | None = None
    """Reason and sentence."""
    left: str | None = None
    """The result that the handler left, as JSON."""
    stays: int = 0
    """Milliseconds."""


def written(outcome: Outcome) -> bytes:
    """As it travels."""
    return json.dumps(asdict(outcome)).encode()


def read(text: bytes) -> Outcome:
    """As it was written."""
    told = json.loads(text)
    failure, unreadable = told.pop("failure"), told.pop("unreadable")
    if failure is not None:
        failure = Failure.told(failure)
    return Outcome(failure=failure, unreadable=None if unreadable is None else tuple(unreadable), **told)
