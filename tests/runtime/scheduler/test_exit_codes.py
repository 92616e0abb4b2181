"""`penstock scheduler` ends with 0 for success, 1 if a part failed or nothing was found, 2 if nothing could be done."""

from collections.abc import Callable, Iterator

import pytest
from scheduler_processes import KEYS, Schedule
from servers import Server

Make = Callable[..., Schedule]
SPEC = "jobs: [{name: waits}, {name: paused}, {name: runs}]\neach: {every: 30s}\n"
VERBS = {
    "list": ("list",),
    "list --json": ("list", "--json"),
    "why": ("why", "waits"),
    "why --json": ("why", "waits", "--json"),
    "history": ("history", "waits"),
    "history --json": ("history", "waits", "--json"),
    "run-now": ("run-now", "waits"),
    "pause": ("pause", "waits"),
    "pause --all": ("pause", "--all"),
    "resume": ("resume", "paused"),
    "resume --all": ("resume", "--all"),
}
NOT_FOUND = {
    "why": (("why", "nobody"), "not registered"),
    "why --json": (("why", "nobody", "--json"), '"unregistered"'),
    "history": (("history", "nobody"), "no run of `nobody` is kept"),
    "history --json": (("history", "nobody", "--json"), "no run of `nobody` is kept"),
    "run-now": (("run-now", "nobody"), "`nobody` is not registered"),
    "run-now of a paused job": (("run-now", "paused"), "`paused` is paused"),
    "run-now of a job that runs": (("run-now", "runs"), "`runs` is already running"),
    "pause one of two": (("pause", "waits", "nobody"), "`nobody` is not registered"),
    "resume one of two": (("resume", "nobody", "paused"), "`nobody` is not registered"),
}
WRONG = {
    "no job to pause": (("pause",), "no job is named"),
    "a job and --all": (("resume", "waits", "--all"), "exclude each other"),
    "no job to explain": (("why",), "JOB"),
    "an unknown option": (("list", "--everything"), "--everything"),
    "an unknown environment": (("list", "--env", "nowhere"), "nowhere"),
}
SECOND = 1_795_000_000


@pytest.fixture
def repo(own_server: Make) -> Iterator[Schedule]:
    """One job in each set. No pod runs."""
    with own_server(spec=SPEC) as repo:
        for job, key in (("waits", KEYS.waiting), ("paused", KEYS.paused), ("runs", KEYS.working)):
            repo.ask("HSET", KEYS.jobs, job, f"60000 500 0 30s/skip {SECOND}")
            repo.ask("ZADD", key, f"{SECOND}.499", job)
        repo.ask("HSET", KEYS.owners, "runs", f"{SECOND} pod~1")
        yield repo


@pytest.mark.parametrize("words", VERBS.values(), ids=VERBS.keys())
def test_a_verb_exits_with_2_if_redis_is_unreachable(repo: Schedule, server: Server, words: tuple[str, ...]) -> None:
    """And with 0 before. It says where Redis was expected, without a traceback."""
    before = repo.call(*words)
    assert before.returncode == 0, before
    server.kill()
    ran = repo.call(*words)
    assert (ran.returncode, ran.stdout) == (2, ""), ran
    assert server.address in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(("words", "says"), NOT_FOUND.values(), ids=NOT_FOUND.keys())
def test_a_verb_exits_with_1_if_a_part_failed_or_nothing_was_found(
    repo: Schedule, words: tuple[str, ...], says: str
) -> None:
    """It says why, and does its work for the other jobs."""
    ran = repo.call(*words)
    assert ran.returncode == 1, ran
    assert says in ran.stdout + ran.stderr
    if words == ("pause", "waits", "nobody"):
        assert repo.places("waits") == ["paused"]
    if words == ("resume", "nobody", "paused"):
        assert repo.places("paused") == ["waiting"]


@pytest.mark.parametrize(("words", "says"), WRONG.values(), ids=WRONG.keys())
def test_a_verb_exits_with_2_if_its_input_is_wrong(repo: Schedule, words: tuple[str, ...], says: str) -> None:
    ran = repo.call(*words)
    assert (ran.returncode, ran.stdout) == (2, ""), ran
    assert says in ran.stderr
    assert "Traceback" not in ran.stderr
