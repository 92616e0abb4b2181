"""Trials of whole systems: real processes are killed, stopped and poisoned."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pipelines import Trial
from targets import Target

Make = Callable[..., Trial]


@pytest.fixture
def trial(tmp_path: Path, target: Target) -> Iterator[Make]:
    """Make a repository with a pipeline; its processes end with the test."""
    with ExitStack() as ends:
        yield lambda **said: ends.enter_context(Trial(tmp_path, target, **said))
