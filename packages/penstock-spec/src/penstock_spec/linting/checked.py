"""The result of checking one file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from penstock_spec.context import SpecFacts
from penstock_spec.linting.acknowledgements import AcknowledgementAt
from penstock_spec.linting.suppressions import SuppressionAt
from penstock_spec.reading import Problem


@dataclass(slots=True)
class CheckedFile:
    """The result of checking one file."""

    problems: list[tuple[str, Problem]] = field(default_factory=list)
    """Each with its environment, or "" where it depends on none."""
    facts: list[SpecFacts] = field(default_factory=list)
    suppressions: list[SuppressionAt] = field(default_factory=list)
    acknowledgements: list[AcknowledgementAt] = field(default_factory=list)
    beside: dict[str, str | None] = field(default_factory=dict)
    """The files beside it that rules read, with the digests of their content."""

    def copy(self) -> CheckedFile:
        """A copy that can be extended."""
        return CheckedFile(
            list(self.problems),
            list(self.facts),
            list(self.suppressions),
            list(self.acknowledgements),
            dict(self.beside),
        )

    def add(self, environment: str, problems: Iterable[Problem]) -> None:
        """Add problems of an environment."""
        self.problems += [(environment, one) for one in problems]
