"""What is emitted for each kind of spec. A kind is a folder here that says `emit`; nothing else has to know of it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from functools import cache

from penstock_generate.artifact import Artifact
from penstock_generate.plan import Planned
from penstock_generate.rendering import Templates

Emit = Callable[[Planned, Templates], Iterable[Artifact]]


@cache
def emitter(kind: str) -> Emit:
    """What emits for a kind."""
    emit: Emit = importlib.import_module(f"{__name__}.{kind.replace('-', '_')}").emit
    return emit
