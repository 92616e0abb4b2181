"""Whatever goes wrong, nothing is lost, doubled, stuck, or left behind.

A few schedules of each profile; `PENSTOCK_SIMULATE=2000` runs so many of each. `python -m tests.simulation` searches on
and on, and replays a schedule step by step.
"""

import os

import pytest

from .profiles import PROFILES, plan_of
from .store import Store
from .world import run

SCHEDULES = int(os.environ.get("PENSTOCK_SIMULATE", "4"))


@pytest.mark.parametrize("profile", PROFILES)
def test_holds(store: Store, profile: str) -> None:
    """Every schedule comes to its rest, and nothing that must never be was seen on the way."""
    for seed in range(SCHEDULES):
        ran = run(store, plan_of(profile, seed))
        assert not ran.violations, f"python -m tests.simulation --replay {profile}/{seed}"
