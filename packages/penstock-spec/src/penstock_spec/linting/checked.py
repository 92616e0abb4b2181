"""What came of one file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from penstock_spec.linting.waivers import Promise, Waiver
from penstock_spec.reading import Found
from penstock_spec.subject import Shown


@dataclass(slots=True)
class Checked:
    """What came of one file: findings by environment, "" where they have to do with none, and what others may ask."""

    found: list[tuple[str, Found]] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)
    waivers: list[Waiver] = field(default_factory=list)
    promises: list[Promise] = field(default_factory=list)
    beside: dict[str, str | None] = field(default_factory=dict)
    """Files beside it that were asked for, and the digest of what was in them."""

    def copy(self) -> Checked:
        """One that may be added to."""
        return Checked(list(self.found), list(self.shown), list(self.waivers), list(self.promises), dict(self.beside))

    def add(self, environment: str, found: Iterable[Found]) -> None:
        """Keep findings of an environment."""
        self.found += [(environment, one) for one in found]
