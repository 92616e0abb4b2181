"""pause, resume, run_now, look: what people do to jobs, and what pods see of them."""

from job_steps import Moves

from penstock.scheduler.job_steps import JobAnswer


def test_a_paused_job_waits_until_it_is_resumed(moves: Moves) -> None:
    """With the score that it had."""
    moves.register("job", "other", due=moves.second() - 5)
    before = moves.left().waiting
    assert moves.ask_for("pause", "job", "nobody's") == [JobAnswer.DONE, JobAnswer.UNKNOWN]
    assert moves.ask_for("pause", "job") == [JobAnswer.NOT_HELD]
    assert moves.left().places("job") == ["paused"]
    assert moves.ask_for("resume", "job", "other", "nobody's") == [
        JobAnswer.DONE,
        JobAnswer.NOT_HELD,
        JobAnswer.UNKNOWN,
    ]
    assert moves.left().waiting == before


def test_while_all_are_paused_nobody_takes_anything(moves: Moves) -> None:
    """And jobs that were paused by name stay so when that ends."""
    moves.register("job", "stops")
    moves.ask_for("pause", "stops")
    moves.ask_for("pause", "*")
    assert moves.look_at().all_paused
    assert moves.take("pod~1") == []
    moves.ask_for("resume", "*")
    assert [one.name for one in moves.take("pod~1")] == ["job"]
    assert moves.left().places("stops") == ["paused"]


def test_one_that_runs_is_resumed_without_being_moved(moves: Moves) -> None:
    """It was paused while it ran, and resumed before it ended."""
    moves.register("job")
    (job,) = moves.take("pod~1")
    moves.ask_for("pause", "job")
    assert moves.ask_for("resume", "job") == [JobAnswer.DONE]
    assert moves.left().places("job") == ["working"]
    moves.complete(job, due=job.due)
    assert moves.left().places("job") == ["waiting"]


def test_run_now(moves: Moves) -> None:
    """It is due at once, and one that is due already keeps its place; what runs or is paused stays as it is."""
    now = moves.second()
    moves.register("later", "runs", "stops", due=now + 3600)
    moves.register("due", due=now - 50)
    moves.set_due("runs", now - 100)
    moves.take("pod~1", 1)
    moves.ask_for("pause", "stops")
    answers = moves.ask_for("run_now", "later", "due", "runs", "stops", "nobody's")
    assert answers == [JobAnswer.DONE, JobAnswer.DONE, JobAnswer.ANOTHERS, JobAnswer.NOT_HELD, JobAnswer.UNKNOWN]
    assert [one.name for one in moves.take("pod~1")] == ["due", "later"]


def test_a_look(moves: Moves) -> None:
    """How many are in each set, how many are due, and for how long the oldest has been."""
    assert (moves.look_at().ready, moves.look_at().overdue) == (0, 0)
    now = moves.second()
    moves.register("a", due=now - 30)
    moves.register("b", due=now - 10, shard=1)
    moves.register("later", due=now + 60)
    moves.register("stops", due=now - 99)
    moves.ask_for("pause", "stops", "*")
    looked = moves.look_at()
    assert (looked.waiting, looked.working, looked.paused, looked.ready) == (3, 0, 1, 2)
    assert 30 <= looked.overdue <= 40
    assert moves.look_at(",1,").ready == 1
    moves.ask_for("resume", "*")
    moves.take("pod~1", 1)
    assert (moves.look_at().waiting, moves.look_at().working) == (2, 1)
