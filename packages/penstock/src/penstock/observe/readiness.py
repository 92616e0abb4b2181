"""Whether this process is ready, and the reasons why not."""

from __future__ import annotations

from enum import StrEnum


class Why(StrEnum):
    """A reason why a process is not ready."""

    STARTING = "starting"
    REDIS_ABSENT = "Redis is unreachable"
    NO_LEASE = "the lease was lost"
    REFUSED = "Redis refuses reading"
    DRAINING = "draining"


class Readiness:
    """Ready while there is no reason against it. Set in one thread, read in others; each change replaces the set."""

    def __init__(self) -> None:
        self._against: frozenset[Why] = frozenset({Why.STARTING})

    def hold(self, why: Why) -> None:
        """Add a reason."""
        self._against |= {why}

    def release(self, why: Why) -> None:
        """Remove a reason."""
        self._against -= {why}

    @property
    def against(self) -> tuple[Why, ...]:
        """All reasons, in the order of `Why`."""
        against = self._against
        return tuple(why for why in Why if why in against)
