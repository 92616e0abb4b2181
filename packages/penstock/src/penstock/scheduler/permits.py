"""Permits limit how many jobs a pod runs at a time."""

from __future__ import annotations

from collections.abc import Callable

UNBOUNDED = 100_000
"""Free permits if there is no limit: more than one cycle takes."""


class Permits:
    """Each permit is taken once and given back once, whatever happens to the run."""

    def __init__(self, concurrency: int, returned: Callable[[], object]) -> None:
        """0 or less means no limit. `returned` is called for each permit that comes back."""
        self.limit = max(0, concurrency)
        self.held = 0
        self._returned = returned

    @property
    def free(self) -> int:
        """How many may be taken."""
        return self.limit - self.held if self.limit else UNBOUNDED

    def take(self) -> Permit:
        """Take a free permit."""
        self.held += 1
        return Permit(self)

    def give_back(self) -> None:
        """Called by a permit only."""
        self.held -= 1
        self._returned()


class Permit:
    """Leave to run one job."""

    __slots__ = ("_of",)

    def __init__(self, of: Permits) -> None:
        """Held from now on."""
        self._of: Permits | None = of

    def give_back(self) -> None:
        """A second call changes nothing: an abandoned run ends later."""
        of, self._of = self._of, None
        if of is not None:
            of.give_back()
