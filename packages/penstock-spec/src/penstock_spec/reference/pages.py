"""Every page that is made from the language itself, by its path in the repository."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import chain

from penstock_spec.catalogue import catalogue
from penstock_spec.json_schema import platform_schema, spec_schema
from penstock_spec.kinds import kinds
from penstock_spec.platform import Platform
from penstock_spec.reference import families, fields, rules

OWNED = ("docs/rules", "generated/schemas")
"""Folders in which nothing else may lie."""


def pages() -> dict[str, str]:
    """Path and content."""
    every = catalogue()
    made = {
        "docs/reference/families.md": families.page(chain.from_iterable(map(families.families_of, kinds().values()))),
        "docs/reference/platform.md": fields.page("The platform file", "platform", Platform),
        "docs/rules/README.md": rules.index(tuple(every.values())),
        "generated/schemas/platform.schema.json": as_json(platform_schema()),
    }
    for name, kind in kinds().items():
        made[f"docs/reference/{name}.md"] = fields.page(f"A {name}'s spec", name, kind.model)
        made[f"generated/schemas/{name}.schema.json"] = as_json(spec_schema(kind))
    made |= {f"docs/rules/{name}.md": rules.page(rule) for name, rule in every.items()}
    return dict(sorted(made.items()))


def as_json(schema: Mapping[str, object]) -> str:
    """As a file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
