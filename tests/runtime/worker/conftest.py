"""Runs workers as real processes, in a repository for each test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pipelines import Trial
from servers import Server
from targets import Target

from penstock.wire.credentials import Credentials

Make = Callable[..., Trial]


@pytest.fixture
def make_trial(tmp_path: Path, target: Target) -> Iterator[Make]:
    """Creates a repository with a pipeline; its processes end with the test."""
    with ExitStack() as ends:
        yield lambda **options: ends.enter_context(Trial(tmp_path, target, **options))


@pytest.fixture
def make_server_trial(tmp_path: Path, server: Server) -> Iterator[Make]:
    """Creates a repository for a plain server that the test may stop, pause or change."""
    with ExitStack() as ends:
        target = Target(server.model(), Credentials(), [server])
        yield lambda **options: ends.enter_context(Trial(tmp_path, target, **options))
