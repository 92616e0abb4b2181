"""The registry of kinds. A kind is a folder here that says `KIND`; nothing else has to know of it."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from penstock_spec.kinds.kind import Kind

__all__ = ["Kind", "kinds"]


@cache
def kinds() -> dict[str, Kind]:
    """Every kind by its name."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        if module.ispkg:
            kind = importlib.import_module(f"{__name__}.{module.name}").KIND
            found[kind.name] = kind
    return found
