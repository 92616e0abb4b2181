"""Work in forks comes to what it would come to without."""

import os
import signal
import threading
from collections.abc import Callable

import pytest

from penstock_spec import forks

HERE = os.getpid()
# Newer Pythons warn of what the product looks after, and what these tests hide from it: pytest's own threads.
pytestmark = pytest.mark.filterwarnings("ignore:This process .*is multi-threaded:DeprecationWarning")


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forks, "processors", lambda: 2)
    monkeypatch.setattr(threading, "active_count", lambda: 1)


def told() -> tuple[str, bool]:
    return "told", os.getpid() == HERE


def dies() -> tuple[str, bool]:
    if os.getpid() != HERE:
        os.kill(os.getpid(), signal.SIGKILL)
    return told()


@pytest.mark.parametrize(("work", "here"), [(told, False), (dies, True)], ids=["lives", "is killed"])
def test_what_was_begun_is_told(work: Callable[[], tuple[str, bool]], here: bool) -> None:  # noqa: FBT001 - a case
    """By the fork; where that is gone, by whoever asks."""
    assert forks.start_in_fork(work)() == ("told", here)


def test_who_is_forked_meanwhile_works_for_itself() -> None:
    """There is one answer, and it is for the process that began it."""
    made = forks.start_in_fork(told)
    found = list(forks.map_in_forks(lambda _: made(), range(forks.MANY)))
    assert set(found) == {("told", False)}
    later = forks.start_in_fork(told)
    answers = list(forks.map_in_forks(lambda item: later() if item else None, range(forks.MANY)))
    assert set(answers[1:]) == {("told", False)}
    assert later() == ("told", False)


def test_order_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long each takes, and with what the first has loaded."""
    monkeypatch.setattr(forks, "TOGETHER", 1)
    found = list(forks.map_in_forks(lambda item: (item, os.getpid()), range(forks.MANY)))
    assert [item for item, _ in found] == list(range(forks.MANY))
    assert found[0][1] == HERE
    assert HERE not in {process for _, process in found[1:]}
