"""Permits limit how many jobs a pod runs at a time."""

from __future__ import annotations

from collections.abc import Callable

UNBOUNDED = 100_000
"""Free permits if there is no limit: more than a cycle uses."""


class Permits:
    """Creates permits. Each is returned exactly once, however the run ends."""

    def __init__(self, concurrency: int, returned: Callable[[], object]) -> None:
        """0 or less means no limit. `returned` is called for each returned permit."""
        self.limit = max(0, concurrency)
        self.held = 0
        self._returned = returned

    @property
    def free(self) -> int:
        """The number of free permits."""
        return self.limit - self.held if self.limit else UNBOUNDED

    def take(self) -> Permit:
        """Take a free permit."""
        self.held += 1
        return Permit(self)

    def give_back(self) -> None:
        """Return one permit; only permits call this."""
        self.held -= 1
        self._returned()


class Permit:
    """Allows one run of a job."""

    __slots__ = ("_of",)

    def __init__(self, of: Permits) -> None:
        """The permit is in use from now on."""
        self._of: Permits | None = of

    def give_back(self) -> None:
        """Return the permit. A second call changes nothing: an abandoned run ends after its permit was returned."""
        of, self._of = self._of, None
        if of is not None:
            of.give_back()
