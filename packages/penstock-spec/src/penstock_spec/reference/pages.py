"""The pages contents from the models and the rules, by path in the repository."""

from __future__ import annotations

from penstock_spec.catalogue import catalogue
from penstock_spec.kinds import kinds
from penstock_spec.platform import Platform
from penstock_spec.reference import families, fields, rules

OWNED = ("docs/rules",)
"""Folders without other files."""


def pages() -> dict[str, str]:
    """The content of each page by path."""
    every = catalogue()
    contents = {
        "docs/reference/families.md": families.page(kinds()),
        "docs/reference/platform.md": fields.page("Platform file", "platform", Platform),
        "docs/rules/README.md": rules.index(tuple(every.values())),
    }
    for name, kind in kinds().items():
        contents[f"docs/reference/{name}.md"] = fields.page(f"{name.capitalize()} spec", name, kind.model)
    contents |= {f"docs/rules/{name}.md": rules.page(rule) for name, rule in every.items()}
    return dict(sorted(contents.items()))
