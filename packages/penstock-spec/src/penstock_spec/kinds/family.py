"""Families of mistakes that rules find in specs of a kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExampleReference:
    """A failing example of a rule, counted from 1."""

    rule: str
    example: int


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake, and the failing examples of the rules that find it."""

    text: str
    examples: tuple[ExampleReference, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Mistakes with a common cause. Number 0 is for mistakes that only several specs together can make."""

    number: int
    mistakes: tuple[Mistake, ...]


def family(number: int, mistakes: Mapping[str, str]) -> Family:
    """Create a family from texts and their examples: `<rule>:<number of its failing example>`, separated by spaces."""
    return Family(
        number, tuple(Mistake(text, tuple(map(_reference, names.split()))) for text, names in mistakes.items())
    )


def _reference(name: str) -> ExampleReference:
    rule, _, example = name.partition(":")
    return ExampleReference(rule, int(example))
