"""What a search has found once stays mended: each schedule of `found/` was shrunk from one that broke a promise."""

import json
from pathlib import Path

import pytest

from .plan import Plan
from .store import Store
from .world import run

FOUND = sorted((Path(__file__).parent / "found").glob("*.json"))


@pytest.mark.parametrize("file", FOUND, ids=lambda file: file.stem)
def test_stays_mended(store: Store, file: Path) -> None:
    """It goes through, and what had gone wrong in it still happens."""
    found = json.loads(file.read_text())
    plan = Plan.of(found["plan"])
    ran = run(store, plan)
    assert not ran.violations, found["story"]
    assert len(ran.happened) == len(plan.faults)
