"""Fixtures: schedulers as real processes, in a repository of the test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from scheduler_processes import Schedule
from servers import Server
from targets import Target

from penstock.wire.credentials import Credentials

Make = Callable[..., Schedule]


@pytest.fixture
def schedule(tmp_path: Path, target: Target) -> Iterator[Make]:
    """Creates a repository with a scheduler; its processes stop with the test."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(Schedule(tmp_path, target, **options))


@pytest.fixture
def own_server(tmp_path: Path, server: Server) -> Iterator[Make]:
    """The same on a Redis server of the test, which it may stop or fill."""
    with ExitStack() as stack:
        target = Target(server.model(), Credentials(), [server])
        yield lambda **options: stack.enter_context(Schedule(tmp_path, target, **options))
