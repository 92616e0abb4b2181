"""The registry of kinds. A kind is a folder here with a `KIND`; it needs no other registration."""

from __future__ import annotations

import pkgutil
from functools import cache

from penstock_spec.kinds.kind import Kind
from penstock_spec.kinds.parts import part_of

__all__ = ["Kind", "kinds"]


@cache
def kinds() -> dict[str, Kind]:
    """All kinds by name."""
    by_name = {}
    for module in pkgutil.iter_modules(__path__):
        if module.ispkg:
            kind = part_of(module.name, "definition", f"{__name__}.{module.name}", "KIND").KIND
            by_name[kind.name] = kind
    return by_name
