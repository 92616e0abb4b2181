"""A stream with a group, and the scripts over it."""

from collections.abc import Iterator

import pytest
from redis_state import KEYS
from servers import Server
from steps import Steps
from targets import Target


@pytest.fixture
def steps(target: Target) -> Iterator[Steps]:
    """On a Redis in the shape that this run is about."""
    with Steps(target.link(KEYS.stream)) as steps:
        yield steps


@pytest.fixture
def own(server: Server) -> Iterator[Steps]:
    """On a server of the test's own, whose settings it may change."""
    with Steps(server.link()) as steps:
        yield steps
