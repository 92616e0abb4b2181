"""Fixtures: a stream with a group, and the scripts that work on it."""

from collections.abc import Iterator

import pytest
from redis_state import KEYS
from servers import Server
from steps import Steps
from targets import Target


@pytest.fixture
def steps(target: Target) -> Iterator[Steps]:
    """Yield the scripts on the shared Redis of this run."""
    with Steps(target.link(KEYS.stream)) as steps:
        yield steps


@pytest.fixture
def own(server: Server) -> Iterator[Steps]:
    """Yield the scripts on a server of this test, whose settings it may change."""
    with Steps(server.link()) as steps:
        yield steps
