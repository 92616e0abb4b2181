"""The reference page of known misconfigurations, by family, with the rules that find them."""

from __future__ import annotations

from collections.abc import Mapping

from penstock_spec.kinds import Kind
from penstock_spec.kinds.family import Family, Mistake
from penstock_spec.kinds.parts import part_of
from penstock_spec.reference.table import table

OPENING = """\
# Known misconfigurations

Redis, KEDA, the HPA and Kubernetes accept all of these silently, and KEDA's admission webhook accepts everything while
it is unreachable. A rule of `penstock lint` finds each of them and reports its line.
"""


def families_of(kind: Kind) -> tuple[Family, ...]:
    """The families of misconfigurations of a kind."""
    families: tuple[Family, ...] = part_of(kind.name, "families", kind.families, "FAMILIES").FAMILIES
    return families


def page(kinds: Mapping[str, Kind]) -> str:
    """The page: a table for each kind, with a row for each misconfiguration."""
    parts = [OPENING]
    for name, kind in kinds.items():
        rows = [(str(one.number or ""), *_row(mistake)) for one in families_of(kind) for mistake in one.mistakes]
        parts += [f"## A {name}\n", table(("family", "what is wrong", "found by"), rows)]
    return "\n".join(parts)


def _row(mistake: Mistake) -> tuple[str, str]:
    rules = dict.fromkeys(one.rule for one in mistake.examples)
    return mistake.text, ", ".join(f"[`{rule}`](../rules/{rule}.md)" for rule in rules)
