"""Every page that is made from the language itself, by its path in the repository."""

from __future__ import annotations

from penstock_spec.catalogue import catalogue
from penstock_spec.kinds import kinds
from penstock_spec.platform import Platform
from penstock_spec.reference import families, fields, rules

OWNED = ("docs/rules",)
"""Folders in which nothing else may lie."""


def pages() -> dict[str, str]:
    """Path and content."""
    every = catalogue()
    made = {
        "docs/reference/families.md": families.page(kinds()),
        "docs/reference/platform.md": fields.page("The platform file", "platform", Platform),
        "docs/rules/README.md": rules.index(tuple(every.values())),
    }
    for name, kind in kinds().items():
        made[f"docs/reference/{name}.md"] = fields.page(f"A {name}'s spec", name, kind.model)
    made |= {f"docs/rules/{name}.md": rules.page(rule) for name, rule in every.items()}
    return dict(sorted(made.items()))
