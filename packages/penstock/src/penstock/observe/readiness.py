"""Whether this process is ready, and if not, why."""

from __future__ import annotations

from enum import StrEnum


class NotReady(StrEnum):
    """A reason why a process is not ready."""

    STARTING = "starting"
    REDIS_ABSENT = "Redis is unreachable"
    NO_LEASE = "the lease was lost"
    REFUSED = "Redis refuses reading"
    DRAINING = "draining"


class Readiness:
    """Ready while there are no reasons against it. Set in one thread, read in others; each change replaces the set."""

    def __init__(self) -> None:
        self._reasons: frozenset[NotReady] = frozenset({NotReady.STARTING})

    def hold(self, why: NotReady) -> None:
        """Add a reason."""
        self._reasons |= {why}

    def release(self, why: NotReady) -> None:
        """Remove a reason."""
        self._reasons -= {why}

    @property
    def reasons(self) -> tuple[NotReady, ...]:
        """All reasons, in the order of `NotReady`."""
        reasons = self._reasons
        return tuple(why for why in NotReady if why in reasons)
