"""Fixture: the Redis of a page."""

from collections.abc import Iterator

import pytest
from servers import Server


@pytest.fixture
def laptop() -> Iterator[Server]:
    """The Redis of a page. Pages show the output of one server version, so runs on other versions leave them out."""
    with Server(appendonly=True) as server:
        yield server
