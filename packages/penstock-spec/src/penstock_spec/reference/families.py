"""The page of the misconfigurations, by family: what can be wrong, and which rule finds it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from penstock_spec.kinds import Kind
from penstock_spec.kinds.family import Family, Mistake
from penstock_spec.reference.table import table

OPENING = """\
# What can be wrong, and who finds it

Redis, KEDA, the autoscaler and Kubernetes take all of these without a word, and KEDA's own admission webhook lets
everything pass when it cannot be reached. So each is found by a rule of `penstock lint`, at the line where it stands.
"""


def families_of(kind: Kind) -> tuple[Family, ...]:
    """The families of a kind."""
    found: tuple[Family, ...] = importlib.import_module(kind.families).FAMILIES
    return found


def page(kinds: Mapping[str, Kind]) -> str:
    """A table a kind: a row for each thing that can be wrong."""
    parts = [OPENING]
    for name, kind in kinds.items():
        rows = [(str(one.number or ""), *_row(mistake)) for one in families_of(kind) for mistake in one.mistakes]
        parts += [f"## A {name}\n", table(("family", "what is wrong", "found by"), rows)]
    return "\n".join(parts)


def _row(mistake: Mistake) -> tuple[str, str]:
    rules = dict.fromkeys(one.rule for one in mistake.examples)
    return mistake.text, ", ".join(f"[`{rule}`](../rules/{rule}.md)" for rule in rules)
