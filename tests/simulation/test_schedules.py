"""No fault loses, doubles or blocks a message, or leaves one behind.

This runs a few schedules of each profile; `PENSTOCK_SIMULATE=2000` runs 2000 of each. `python -m tests.simulation`
searches longer, and replays a schedule step by step.
"""

import os

import pytest

from .profiles import PROFILES, plan_of
from .store import Store
from .world import run

SCHEDULES = int(os.environ.get("PENSTOCK_SIMULATE", "4"))


@pytest.mark.parametrize("profile", PROFILES)
def test_no_schedule_violates_a_promise(store: Store, profile: str) -> None:
    """Every schedule ends without a violation."""
    for seed in range(SCHEDULES):
        ran = run(store, plan_of(profile, seed))
        assert not ran.violations, f"python -m tests.simulation --replay {profile}/{seed}"
