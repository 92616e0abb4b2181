"""What a kind of spec brings."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock_spec.metrics import Contract
from penstock_spec.model import Section

if TYPE_CHECKING:
    from penstock_spec.context import SpecContext


@dataclass(frozen=True, slots=True)
class ForeignField:
    """A word from elsewhere: the field that does it here, or why there is none."""

    hint: str
    rule: str = "unknown-field"


def _none(subject: SpecContext[Any]) -> Iterable[tuple[str, object]]:
    del subject
    return ()


def _nobody(specs: int, topology: str) -> int:
    del specs, topology
    return 0


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of spec."""

    name: str
    model: type[Section]
    derive: Callable[[Mapping[str, Any]], dict[str, Any]]
    """From the data of a spec to the paths and values of defaults that follow from it."""
    needed: Mapping[str, str]
    """What it takes to be one beside `kind` and `name`, as fields with values in YAML."""
    shows: tuple[str, ...]
    """Paths whose values rules across specs may ask for."""
    rules: str
    """The package of its rules."""
    families: str
    """The module whose `FAMILIES` say what can be wrong with it; loaded for the reference alone."""
    connections: Callable[[Any], int]
    """To Redis, of all pods of a spec together at their maximum."""
    most_pods: str
    """The path of the field that says how many they are at the most."""
    metrics: str
    """The package whose `CONTRACT` says what its processes tell."""
    facts: Callable[[SpecContext[Any]], Iterable[tuple[str, object]]] = _none
    """More of that, by path: items of lists, and what stands in files beside the spec. Plain values, for the cache."""
    tending: Callable[[int, str], int] = _nobody
    """To Redis, of one pod of the janitor that looks after so many specs of it, by topology."""
    rights: str = ""
    """The package that says who of it talks to Redis, with what, and about which keys."""
    classes: str = ""
    """The path of its classes of failures, where it has them: each is a `Matching`."""
    run: str = ""
    """The command that runs a spec of it, without the spec."""
    unread: Mapping[str, Any] = field(default_factory=dict)
    """What no running process looks at, as pydantic's `exclude`; it stays out of `worker.json`."""
    foreign: Mapping[str, ForeignField] = field(default_factory=dict)
    """Words that people bring from other tools, and what they are called here."""

    @property
    def contract(self) -> Contract:
        """What its processes tell; loaded when it is asked for."""
        found: Contract = importlib.import_module(self.metrics).CONTRACT
        return found
