"""One server for all schedules of a run."""

from collections.abc import Iterator

import pytest

from .store import Store


@pytest.fixture(scope="session")
def store() -> Iterator[Store]:
    with Store() as store:
        yield store
