"""Repositories whose janitor runs as a process."""

from collections.abc import Callable, Iterator

import pytest
from janitors import JanitorRepository
from servers import Server
from targets import Target


@pytest.fixture
def repository(tmp_path_factory: pytest.TempPathFactory, target: Target) -> Iterator[Callable[..., JanitorRepository]]:
    """Creates a repository with these pipelines; `spec` applies to all of them. Its processes end with the test."""
    open_houses: list[JanitorRepository] = []

    def make(*names: str, spec: str = "", server: Server | None = None) -> JanitorRepository:
        one = JanitorRepository(tmp_path_factory.mktemp("house"), server or target, names or ("trial",), spec)
        open_houses.append(one)
        return one

    yield make
    for one in open_houses:
        one.end()
