"""A scheduler's scripts, over a Redis in the shape that this run is about."""

from collections.abc import Iterator

import pytest
from job_steps import KEYS, Moves
from targets import Target


@pytest.fixture
def moves(target: Target) -> Iterator[Moves]:
    """On a Redis that is empty."""
    with Moves(target.link(KEYS.waiting)) as moves:
        moves.begin("pod~1")
        moves.begin("pod~2")
        yield moves
