"""Bugs that a search found stay fixed: `regressions/` has a shrunk schedule for each."""

import json
from pathlib import Path

import pytest

from .plan import Plan
from .store import Store
from .world import run

REGRESSIONS = sorted((Path(__file__).parent / "regressions").glob("*.json"))


@pytest.mark.parametrize("file", REGRESSIONS, ids=lambda file: file.stem)
def test_fixed_bugs_stay_fixed(store: Store, file: Path) -> None:
    """The schedule has no violation, and its faults still occur."""
    regression = json.loads(file.read_text())
    plan = Plan.of(regression["plan"])
    ran = run(store, plan)
    assert not ran.violations, regression["description"]
    assert len(ran.happened) == len(plan.faults)
