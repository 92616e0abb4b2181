"""Fixture: repositories whose janitor runs as a process."""

from collections.abc import Callable, Iterator

import pytest
from janitors import JanitorRepository
from servers import Server
from targets import Target


@pytest.fixture
def repository(tmp_path_factory: pytest.TempPathFactory, target: Target) -> Iterator[Callable[..., JanitorRepository]]:
    """Creates a repository with the named pipelines; `spec` applies to all. Its processes stop with the test."""
    repositories: list[JanitorRepository] = []

    def make(*names: str, spec: str = "", server: Server | None = None) -> JanitorRepository:
        repository = JanitorRepository(
            tmp_path_factory.mktemp("repository"), server or target, names or ("trial",), spec
        )
        repositories.append(repository)
        return repository

    yield make
    for repository in repositories:
        repository.end()
