"""Every verb that needs Redis ends in the same way: 0 for success, 1 for a part, 2 if nothing could be done."""

from collections.abc import Callable

import pytest
from operator_cli import OperatorCli

from penstock.embedded import free_port

VERBS = {
    "send": ("send", "trial", "{}"),
    "send --json": ("send", "trial", "{}", "--json"),
    "status": ("status",),
    "status --json": ("status", "--json"),
    "peek": ("peek", "trial"),
    "peek one": ("peek", "trial", "1-1"),
    "dlq list": ("dlq", "list", "trial"),
    "dlq show": ("dlq", "show", "trial", "1-1"),
    "dlq replay": ("dlq", "replay", "trial", "--all", "--yes"),
    "dlq purge": ("dlq", "purge", "trial", "--all", "--yes"),
    "janitor --once": ("janitor", "--once"),
    "janitor --dry-run": ("janitor", "--dry-run"),
}


@pytest.mark.parametrize("words", VERBS.values(), ids=VERBS.keys())
def test_a_verb_exits_with_2_if_redis_is_unreachable(
    make_cli: Callable[..., OperatorCli], words: tuple[str, ...]
) -> None:
    """And says where Redis was expected, and what to do, without a traceback."""
    cli = make_cli("message: {}\nsend: {attempts: 1}")
    port = free_port()
    ran = cli.penstock(*words, redis=f"redis://me:hunter2@127.0.0.1:{port}")
    assert ran.code == 2, ran
    assert f"127.0.0.1:{port}" in ran.err + ran.out
    assert "Traceback" not in ran.err
    assert "hunter2" not in ran.err + ran.out


@pytest.mark.parametrize(
    "words",
    [("send", "trial"), ("status", "other"), ("peek", "trial", "x"), ("dlq", "show", "trial", "x"), ("send",)],
)
def test_a_verb_exits_with_2_if_its_input_is_wrong(cli: OperatorCli, words: tuple[str, ...]) -> None:
    """A body that is empty, a spec or an id that does not exist, a missing argument."""
    ran = cli.penstock(*words)
    assert ran.code == 2, ran
    assert ran.err
