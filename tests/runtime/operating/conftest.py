"""A desk: a repository with a pipeline in the Redis of this run, and the command."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from desk import Desk
from pipelines import Trial
from targets import Target

SAID = "message: {correlate: n, log_fields: [n, pet]}"


@pytest.fixture
def make_desk(
    tmp_path: Path, target: Target, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Desk]]:
    """Makes one; `said` are sections of the spec, one a line."""
    with ExitStack() as ends:

        def make(said: str = SAID, *, on: Target = target, handlers: str = "") -> Desk:
            more = {"handlers": handlers} if handlers else {}
            trial = ends.enter_context(Trial(tmp_path, on, spec=said, **more))
            return Desk(trial, said, monkeypatch, capsys.readouterr)

        yield make


@pytest.fixture
def desk(make_desk: Callable[..., Desk]) -> Desk:
    """Of a pipeline whose field `n` correlates."""
    return make_desk()
