"""What pages are played with."""

from collections.abc import Iterator

import pytest
from servers import Server


@pytest.fixture
def laptop() -> Iterator[Server]:
    """The Redis of a page. What a page shows is what one make says, so runs about others leave the pages out."""
    with Server(appendonly=True) as server:
        yield server
