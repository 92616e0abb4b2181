"""The checks are strict: they find a violation when a safeguard of the design is missing, or a bug is planted."""

import pytest

from .omissions import Omission, without
from .planted import BUGS, schedules_until_found
from .store import Store
from .world import finds, run

WITHIN = 80
"""The number of schedules to search."""


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.what)
def test_a_planted_bug_is_found(store: Store, bug: Omission) -> None:
    """A search finds the violation, or a schedule that passes without the bug."""
    if bug.plan:
        assert not run(store, bug.plan).violations
    with bug.planted() as texts:
        if bug.plan:
            assert finds(store, bug.plan, bug.finds, texts)
        else:
            assert schedules_until_found(store, bug, texts, 0, WITHIN)


def test_a_bug_whose_text_is_gone_fails() -> None:
    """A change of the code cannot turn a planted bug into none."""
    bug = next(one for one in BUGS if one.edits)
    owner, name, _, instead = bug.edits[0]
    with (
        pytest.raises(AssertionError, match="does not contain this once"),
        Omission("", "", edits=((owner, name, "no such text", instead),)).planted(),
    ):
        pass
    with (
        pytest.raises(AssertionError, match="changes nothing"),
        Omission("", "", scripts={"settle": without("no such text")}).planted(),
    ):
        pass
