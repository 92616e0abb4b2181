"""What can be wrong with specs of a kind, in families."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shows:
    """An example that must fail: the rule, and which of its examples, counted from 1."""

    rule: str
    example: int


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that can be wrong, and the examples that show it, with the rules that find it there."""

    says: str
    shown: tuple[Shows, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Things that go wrong in the same way. Number 0 is what only shows when specs are looked at together."""

    number: int
    clauses: tuple[Clause, ...]
