"""Schedulers as they are: real processes, in a repository of the test's own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from schedules import Schedule
from servers import Server
from targets import Target

from penstock.wire.credentials import Credentials

Make = Callable[..., Schedule]


@pytest.fixture
def schedule(tmp_path: Path, target: Target) -> Iterator[Make]:
    """Makes a repository with a scheduler; its processes end with the test."""
    with ExitStack() as ends:
        yield lambda **said: ends.enter_context(Schedule(tmp_path, target, **said))


@pytest.fixture
def own(tmp_path: Path, server: Server) -> Iterator[Make]:
    """The same on a plain server of the test's own, to which it may do what it likes."""
    with ExitStack() as ends:
        target = Target(server.model(), Credentials(), [server])
        yield lambda **said: ends.enter_context(Schedule(tmp_path, target, **said))
