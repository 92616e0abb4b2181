"""Bugs that a search has found stay fixed: `found/` has a shrunk schedule for each."""

import json
from pathlib import Path

import pytest

from .plan import Plan
from .store import Store
from .world import run

FOUND = sorted((Path(__file__).parent / "found").glob("*.json"))


@pytest.mark.parametrize("file", FOUND, ids=lambda file: file.stem)
def test_found_bugs_stay_fixed(store: Store, file: Path) -> None:
    """The schedule passes, and its faults still occur."""
    found = json.loads(file.read_text())
    plan = Plan.of(found["plan"])
    ran = run(store, plan)
    assert not ran.violations, found["story"]
    assert len(ran.happened) == len(plan.faults)
