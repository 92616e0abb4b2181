"""Workers as real processes, in a repository for each test."""

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
def trial(tmp_path: Path, target: Target) -> Iterator[Make]:
    """Make a repository with a pipeline; its processes end with the test."""
    with ExitStack() as ends:
        yield lambda **said: ends.enter_context(Trial(tmp_path, target, **said))


@pytest.fixture
def own(tmp_path: Path, server: Server) -> Iterator[Make]:
    """Make a repository for a plain server that the test may treat as it likes."""
    with ExitStack() as ends:
        target = Target(server.model(), Credentials(), [server])
        yield lambda **said: ends.enter_context(Trial(tmp_path, target, **said))
