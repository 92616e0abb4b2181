"""Work in forks has the same result as work in one process."""

import os
import signal
import threading
from collections.abc import Callable

import pytest

from penstock_spec import forks

HERE = os.getpid()
# Newer Pythons warn about forks with threads. The code checks for threads, but these tests hide pytest's own.
pytestmark = pytest.mark.filterwarnings("ignore:This process .*is multi-threaded:DeprecationWarning")


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forks, "processors", lambda: 2)
    monkeypatch.setattr(threading, "active_count", lambda: 1)


def finish() -> tuple[str, bool]:
    return "done", os.getpid() == HERE


def killed() -> tuple[str, bool]:
    if os.getpid() != HERE:
        os.kill(os.getpid(), signal.SIGKILL)
    return finish()


@pytest.mark.parametrize(("work", "here"), [(finish, False), (killed, True)], ids=["finishes", "is killed"])
def test_the_result_of_a_fork_is_returned(work: Callable[[], tuple[str, bool]], here: bool) -> None:  # noqa: FBT001 - a case
    """If the fork is killed, the caller does the work."""
    assert forks.start_in_fork(work)() == ("done", here)


def test_other_forks_do_the_work_themselves() -> None:
    """Only the process that started the fork gets its result."""
    made = forks.start_in_fork(finish)
    results = list(forks.map_in_forks(lambda _: made(), range(forks.MANY)))
    assert set(results) == {("done", False)}
    later = forks.start_in_fork(finish)
    answers = list(forks.map_in_forks(lambda item: later() if item else None, range(forks.MANY)))
    assert set(answers[1:]) == {("done", False)}
    assert later() == ("done", False)


def test_results_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regardless of their duration; the first runs in this process, so that forks share its imports."""
    monkeypatch.setattr(forks, "TOGETHER", 1)
    results = list(forks.map_in_forks(lambda item: (item, os.getpid()), range(forks.MANY)))
    assert [item for item, _ in results] == list(range(forks.MANY))
    assert results[0][1] == HERE
    assert HERE not in {process for _, process in results[1:]}
