"""Runs one storm of a family, with a seed."""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from random import Random

import targets
from targets import Target

from penstock.wire.credentials import Credentials

from . import load
from .account import Result, facts_of, fill
from .family import Family
from .storm import Storm


def run(family: Family, seed: int, *, seconds: float | None = None) -> Result:
    """Run one storm; `seconds` replaces how long its faults last."""
    result = Result(family.name, seed, left_out=family.missing())
    if result.left_out:
        return result
    began = time.monotonic()
    rng = Random(f"{family.name}/{seed}")  # noqa: S311 - no secret
    with ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="penstock-faults-")))
        target = _target(ends, family, folder)
        storm = Storm(
            folder,
            target,
            rng,
            seconds=family.seconds if seconds is None else seconds,
            through_cables=family.through_cables,
            kinds=load.KINDS | dict(family.kinds),
            exits=family.exits,
            drains=family.drains,
            spec=family.spec,
            attempts=family.attempts,
            around=family.around,
        )
        with storm:
            family.faults(storm)
            result.violations += storm.calm()
            facts = facts_of(storm)
            fill(result, facts)
            result.violations += family.checks(storm, facts)
            result.notes += storm.notes
    result.seconds = round(time.monotonic() - began, 1)
    return result


def _target(ends: ExitStack, family: Family, folder: Path) -> Target:
    if family.shape != "plain":
        return ends.enter_context(targets.start(family.shape))
    server = family.server(folder, ends)
    return Target(server.model(), Credentials(), [server])
