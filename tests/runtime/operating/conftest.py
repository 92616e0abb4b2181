"""A desk: a repository with a pipeline in the Redis of this run, and the command."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from operator_cli import OperatorCli
from pipelines import Trial
from redis_users import PLAIN, RedisUser, user_with_role
from targets import Target

SAID = "message: {correlate: n, log_fields: [n, pet]}"


@pytest.fixture
def make_cli(
    tmp_path: Path, target: Target, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., OperatorCli]]:
    """Makes one; `said` are sections of the spec, one a line."""
    with ExitStack() as ends:

        def make(said: str = SAID, *, on: Target = target, handlers: str = "") -> OperatorCli:
            more = {"handlers": handlers} if handlers else {}
            trial = ends.enter_context(Trial(tmp_path, on, spec=said, **more))
            return OperatorCli(trial, said, monkeypatch, capsys.readouterr)

        yield make


@pytest.fixture
def cli(make_cli: Callable[..., OperatorCli]) -> OperatorCli:
    """Of a pipeline whose field `n` correlates."""
    return make_cli()


@pytest.fixture
def grant(make_cli: Callable[..., OperatorCli]) -> Iterator[Callable[..., RedisUser]]:
    """Makes a pipeline, and a user of a role with the rights that are printed for it."""
    with ExitStack() as ends:

        def make(role: str, said: str = PLAIN, *, handlers: str = "") -> RedisUser:
            return ends.enter_context(user_with_role(make_cli(said, handlers=handlers), role, said))

        yield make
