"""The scripts of a scheduler, over a Redis in each shape."""

from collections.abc import Iterator

import pytest
from job_steps import KEYS, Moves
from targets import Target


@pytest.fixture
def moves(target: Target) -> Iterator[Moves]:
    """On an empty Redis."""
    with Moves(target.link(KEYS.waiting)) as moves:
        moves.begin("pod~1")
        moves.begin("pod~2")
        yield moves
