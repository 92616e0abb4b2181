"""Fixtures: a repository with a pipeline, the Redis of this run, and the command."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from operator_cli import OperatorCli
from pipelines import Trial
from redis_users import PLAIN, RedisUser, user_with_role
from targets import Target

SPEC = "message: {correlate: n, log_fields: [n, pet]}"


@pytest.fixture
def make_cli(
    tmp_path: Path, target: Target, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., OperatorCli]]:
    """Makes an `OperatorCli`; `spec` holds sections of the spec, one a line."""
    with ExitStack() as stack:

        def make(spec: str = SPEC, *, on: Target = target, handlers: str = "") -> OperatorCli:
            options = {"handlers": handlers} if handlers else {}
            trial = stack.enter_context(Trial(tmp_path, on, spec=spec, **options))
            return OperatorCli(trial, spec, monkeypatch, capsys.readouterr)

        yield make


@pytest.fixture
def cli(make_cli: Callable[..., OperatorCli]) -> OperatorCli:
    """The command, on a pipeline that correlates by the field `n`."""
    return make_cli()


@pytest.fixture
def grant(make_cli: Callable[..., OperatorCli]) -> Iterator[Callable[..., RedisUser]]:
    """Makes a pipeline and a Redis user with the rights that `penstock acl` prints for a role."""
    with ExitStack() as stack:

        def make(role: str, spec: str = PLAIN, *, handlers: str = "") -> RedisUser:
            return stack.enter_context(user_with_role(make_cli(spec, handlers=handlers), role, spec))

        yield make
