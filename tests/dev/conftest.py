from collections.abc import Iterator
from pathlib import Path

import pytest
from dev_session import SLOW, Laptop


@pytest.fixture
def laptop(tmp_path: Path) -> Iterator[Laptop]:
    """A repository whose messages are done at once."""
    with Laptop(tmp_path) as laptop:
        yield laptop


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[Laptop]:
    """A repository with one worker, whose messages run until `go_on` is called."""
    spec = "work: {lease: 10s, concurrency: 4}\nscaling: {replicas: {min: 1, max: 1}}"
    with Laptop(tmp_path, handlers=SLOW, spec=spec) as laptop:
        yield laptop
