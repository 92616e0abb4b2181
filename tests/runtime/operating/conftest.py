"""A desk: a repository with a pipeline in the Redis of this run, and the command."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from operator_cli import Desk
from pipelines import Trial
from rights import PLAIN, Granted, granted
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


@pytest.fixture
def grant(make_desk: Callable[..., Desk]) -> Iterator[Callable[..., Granted]]:
    """Makes a pipeline, and a user of a role with the rights that are printed for it."""
    with ExitStack() as ends:

        def make(role: str, said: str = PLAIN, *, handlers: str = "") -> Granted:
            return ends.enter_context(granted(make_desk(said, handlers=handlers), role, said))

        yield make
