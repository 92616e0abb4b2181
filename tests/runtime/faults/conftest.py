"""Tests of complete systems: they kill, suspend and poison real processes."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pipelines import Trial
from targets import Target

Make = Callable[..., Trial]


@pytest.fixture
def make_trial(tmp_path: Path, target: Target) -> Iterator[Make]:
    """Creates a repository with a pipeline; its processes end with the test."""
    with ExitStack() as ends:
        yield lambda **options: ends.enter_context(Trial(tmp_path, target, **options))
