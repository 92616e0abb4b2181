"""Whether this process does its work, and if not, why."""

from __future__ import annotations

from enum import StrEnum


class Why(StrEnum):
    """Why a process is not ready."""

    STARTING = "starting"
    REDIS_ABSENT = "Redis cannot be reached"
    NO_LEASE = "the lease was lost"
    REFUSED = "Redis refuses reading"
    DRAINING = "draining"


class Readiness:
    """Ready while nothing speaks against it. Set in one thread, read in another: each step replaces the whole."""

    def __init__(self) -> None:
        self._against: frozenset[Why] = frozenset({Why.STARTING})

    def hold(self, why: Why) -> None:
        """Not ready, for this reason too."""
        self._against |= {why}

    def release(self, why: Why) -> None:
        """That reason is gone."""
        self._against -= {why}

    @property
    def against(self) -> tuple[Why, ...]:
        """All reasons, in the order above; ready when there is none."""
        against = self._against
        return tuple(why for why in Why if why in against)
