"""Repositories whose janitor runs as a process."""

from collections.abc import Callable, Iterator

import pytest
from janitors import House
from servers import Server
from targets import Target


@pytest.fixture
def house(tmp_path_factory: pytest.TempPathFactory, target: Target) -> Iterator[Callable[..., House]]:
    """Creates a repository with these pipelines; `spec` applies to all of them. Its processes end with the test."""
    open_houses: list[House] = []

    def make(*names: str, spec: str = "", server: Server | None = None) -> House:
        one = House(tmp_path_factory.mktemp("house"), server or target, names or ("trial",), spec)
        open_houses.append(one)
        return one

    yield make
    for one in open_houses:
        one.end()
