"""The checks are strict: they find a violation when a safeguard of the design is missing."""

from itertools import takewhile

import pytest

from .omissions import OMISSIONS, Omission
from .profiles import plan_of
from .store import Store, Texts
from .world import TEXTS, run

WITHIN = 80
"""The number of schedules to search."""


@pytest.mark.parametrize("omission", OMISSIONS, ids=lambda omission: omission.what)
def test_a_missing_safeguard_is_found(store: Store, omission: Omission, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search finds the violation, or a schedule that passes with the safeguard."""
    plans = [omission.plan] if omission.plan else [plan_of(omission.profile, seed) for seed in range(WITHIN)]
    if omission.plan:
        assert not run(store, omission.plan).violations
    for owner, name, replacement in omission.methods:
        monkeypatch.setattr(owner, name, replacement)
    texts = Texts(omission.scripts) if omission.scripts else TEXTS
    passing = list(takewhile(lambda plan: omission.finds not in run(store, plan, texts=texts).kinds, plans))
    assert len(passing) < len(plans)
