"""The checks bite: where a line is left out on purpose that the design says must be there, it is found."""

from itertools import takewhile

import pytest

from .bites import LEFT, Left
from .profiles import plan_of
from .store import Store, Texts
from .world import TEXTS, run

WITHIN = 80
"""Schedules."""


@pytest.mark.parametrize("left", LEFT, ids=lambda left: left.what)
def test_found_without(store: Store, left: Left, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it a search finds what breaks, or a schedule that was made for it breaks, and holds with it."""
    plans = [left.plan] if left.plan else [plan_of(left.profile, seed) for seed in range(WITHIN)]
    if left.plan:
        assert not run(store, left.plan).violations
    for owner, name, instead in left.methods:
        monkeypatch.setattr(owner, name, instead)
    texts = Texts(left.scripts) if left.scripts else TEXTS
    quiet = list(takewhile(lambda plan: left.finds not in run(store, plan, texts=texts).kinds, plans))
    assert len(quiet) < len(plans)
