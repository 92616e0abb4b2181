"""The definition of a kind of spec."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock_spec.kinds.parts import part_of
from penstock_spec.metrics import Contract
from penstock_spec.model import Section

if TYPE_CHECKING:
    from penstock_spec.context import SpecContext


@dataclass(frozen=True, slots=True)
class ForeignField:
    """A term of another tool: a hint with the field that replaces it, or why there is none."""

    hint: str
    rule: str = "unknown-field"


def _no_facts(subject: SpecContext[Any]) -> Iterable[tuple[str, object]]:
    del subject
    return ()


def _no_connections(specs: int, topology: str) -> int:
    del specs, topology
    return 0


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of spec."""

    name: str
    model: type[Section]
    derive: Callable[[Mapping[str, Any]], dict[str, Any]]
    """Derived defaults: from the data of a spec to values by path."""
    required: Mapping[str, str]
    """Required fields besides `kind` and `name`, with example values in YAML."""
    exposed: tuple[str, ...]
    """Paths whose values rules over several specs may read."""
    rules: str
    """The package of its rules."""
    families: str
    """The module with `FAMILIES`, which groups its rules. It is imported for the reference only."""
    connections: Callable[[Any], int]
    """The Redis connections of all pods of a spec at their maximum."""
    replicas_field: str
    """The path of the field with the maximum number of pods."""
    metrics: str
    """The package with the `CONTRACT` of its metrics."""
    facts: Callable[[SpecContext[Any]], Iterable[tuple[str, object]]] = _no_facts
    """More values that rules over several specs may read, by path: plain values, so that they can be cached."""
    janitor_connections: Callable[[int, str], int] = _no_connections
    """The Redis connections of one janitor pod for a number of specs and a topology."""
    rights: str = ""
    """The package that defines its Redis users and their permissions."""
    failure_classes: str = ""
    """The path of its failure classes, if it has any: each is a `FailureMatch`."""
    command: str = ""
    """The command that runs a spec of this kind, without the spec's file."""
    unused_by_pods: Mapping[str, Any] = field(default_factory=dict)
    """Fields that no running process reads, as pydantic's `exclude`. They are left out of `worker.json`."""
    foreign_fields: Mapping[str, ForeignField] = field(default_factory=dict)
    """Terms of other tools, and the fields that replace them."""

    @property
    def contract(self) -> Contract:
        """The contract of its metrics, imported on first use."""
        contract: Contract = part_of(self.name, "metrics", self.metrics, "CONTRACT").CONTRACT
        return contract
