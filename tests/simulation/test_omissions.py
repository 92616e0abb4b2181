"""The checks are strict: when a safeguard of the design is left out, they find it."""

from itertools import takewhile

import pytest

from .omissions import OMISSIONS, Omission
from .profiles import plan_of
from .store import Store, Texts
from .world import TEXTS, run

WITHIN = 80
"""Schedules."""


@pytest.mark.parametrize("left", OMISSIONS, ids=lambda left: left.what)
def test_a_missing_safeguard_is_found(store: Store, left: Omission, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a search, or by a schedule made for it that holds with the safeguard."""
    plans = [left.plan] if left.plan else [plan_of(left.profile, seed) for seed in range(WITHIN)]
    if left.plan:
        assert not run(store, left.plan).violations
    for owner, name, instead in left.methods:
        monkeypatch.setattr(owner, name, instead)
    texts = Texts(left.scripts) if left.scripts else TEXTS
    quiet = list(takewhile(lambda plan: left.finds not in run(store, plan, texts=texts).kinds, plans))
    assert len(quiet) < len(plans)
