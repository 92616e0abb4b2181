"""The registry of kinds. A kind is a folder here with a `KIND`; it needs no other registration."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from penstock_spec.kinds.kind import Kind

__all__ = ["Kind", "kinds"]


@cache
def kinds() -> dict[str, Kind]:
    """All kinds by name."""
    by_name = {}
    for module in pkgutil.iter_modules(__path__):
        if module.ispkg:
            kind = importlib.import_module(f"{__name__}.{module.name}").KIND
            by_name[kind.name] = kind
    return by_name
