"""Whether this process is ready, and if not, why."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum


class NotReady(StrEnum):
    """A reason why a process is not ready."""

    STARTING = "starting"
    REDIS_ABSENT = "Redis is unreachable"
    NO_LEASE = "the lease was lost"
    LEASE_EXPIRED = "the lease may have expired"
    REFUSED = "Redis refuses reading"
    UNSETTLED = "Redis does not accept results"
    STUCK = "a handler that must run alone ignores its cancellation"
    DRAINING = "draining"


class Readiness:
    """Ready while there are no reasons against it. Set in one thread, read in others; each change replaces the set."""

    def __init__(self) -> None:
        self._reasons: frozenset[NotReady] = frozenset({NotReady.STARTING})
        self._followed: dict[NotReady, Callable[[], bool]] = {}

    def hold(self, why: NotReady) -> None:
        """Add a reason."""
        self._reasons |= {why}

    def release(self, why: NotReady) -> None:
        """Remove a reason."""
        self._reasons -= {why}

    def follow(self, why: NotReady, holds: Callable[[], bool]) -> None:
        """Ask at each reading whether a reason holds, so that it is true while all loops of the process are blocked."""
        self._followed = {**self._followed, why: holds}

    @property
    def reasons(self) -> tuple[NotReady, ...]:
        """All reasons, in the order of `NotReady`."""
        reasons = self._reasons | {why for why, holds in self._followed.items() if holds()}
        return tuple(why for why in NotReady if why in reasons)
