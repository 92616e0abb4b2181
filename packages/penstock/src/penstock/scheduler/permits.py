"""How many jobs a pod may run at a time."""

from __future__ import annotations

from collections.abc import Callable

UNBOUNDED = 100_000
"""Permits that are free where there is no bound: more than one cycle takes."""


class Permits:
    """Each is taken once and given back once, whatever becomes of the run in between."""

    def __init__(self, concurrency: int, returned: Callable[[], object]) -> None:
        """0 or less is without a bound. `returned` is told of each that comes back."""
        self.limit = max(0, concurrency)
        self.held = 0
        self._returned = returned

    @property
    def free(self) -> int:
        """How many may be taken."""
        return self.limit - self.held if self.limit else UNBOUNDED

    def take(self) -> Permit:
        """One of the free ones."""
        self.held += 1
        return Permit(self)

    def give_back(self) -> None:
        """Only a permit calls this."""
        self.held -= 1
        self._returned()


class Permit:
    """To run one job."""

    __slots__ = ("_of",)

    def __init__(self, of: Permits) -> None:
        """Held from now on."""
        self._of: Permits | None = of

    def give_back(self) -> None:
        """A second time changes nothing: a run that was abandoned ends later on."""
        of, self._of = self._of, None
        if of is not None:
            of.give_back()
