"""What is emitted for each kind of spec. A kind is a folder here that says `emit`; nothing else has to know of it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from penstock_generate.artifact import Artifact
from penstock_generate.plan import Member, Planned
from penstock_generate.rendering import Templates


@dataclass(frozen=True, slots=True)
class Emitted:
    """What comes of one spec in one environment."""

    artifacts: tuple[Artifact, ...]
    """Its own files, in no particular order."""
    member: Member | None
    """What the files of the whole environment say of it, if anything."""
    beside: tuple[str, ...] = ()
    """Files beside the spec that were read for it."""


Emit = Callable[[Planned, Templates], Emitted]


@cache
def emitter(kind: str) -> Emit:
    """What emits for a kind."""
    emit: Emit = importlib.import_module(f"{__name__}.{kind.replace('-', '_')}").emit
    return emit
