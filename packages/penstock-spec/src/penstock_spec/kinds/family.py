"""What can be wrong with specs of a kind, in families."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExampleReference:
    """An example that must fail: the rule, and which of its examples, counted from 1."""

    rule: str
    example: int


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that can be wrong, and the examples that show it, with the rules that find it there."""

    says: str
    shown: tuple[ExampleReference, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Things that go wrong in the same way. Number 0 is what only shows when specs are looked at together."""

    number: int
    clauses: tuple[Clause, ...]


def family(number: int, clauses: Mapping[str, str]) -> Family:
    """What is wrong -> the examples that show it, as `<rule>:<which of its fails>`, with spaces between."""
    return Family(number, tuple(Clause(says, tuple(map(_shows, shown.split()))) for says, shown in clauses.items()))


def _shows(told: str) -> ExampleReference:
    rule, _, example = told.partition(":")
    return ExampleReference(rule, int(example))
