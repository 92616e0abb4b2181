"""What a family of faults is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .storm import Storm


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of fault."""

    name: str
    does: str
    """One sentence for the report."""
    promises: str
    """The promises that it tests, and how they are restricted if Redis itself loses data."""
    faults: Callable[[Storm], None]
    seconds: float = 12.0
    """How long the faults last."""
    shape: str = "plain"
    """The shape of Redis; see `targets`."""
    through_cables: bool = False
    """Whether connections pass a proxy, which can lose, hold and cut them."""
    poison: int = 0
    """The share of messages that kill their process, beside those of `load.KINDS`."""
    exits: tuple[int, ...] = ()
    """Codes with which workers may end by themselves."""
