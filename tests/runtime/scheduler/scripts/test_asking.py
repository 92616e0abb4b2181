"""pause, resume, run_now, look: what people do to jobs, and what pods count."""

from job_steps import Moves

from penstock.scheduler.job_steps import JobAnswer


def test_a_paused_job_waits_until_it_is_resumed(moves: Moves) -> None:
    """With its score."""
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


def test_a_pause_of_all_jobs_stops_acquiring(moves: Moves) -> None:
    """Jobs paused by name stay paused when it ends."""
    moves.register("job", "stops")
    moves.ask_for("pause", "stops")
    moves.ask_for("pause", "*")
    assert moves.look_at().all_paused
    assert moves.take("pod~1") == []
    moves.ask_for("resume", "*")
    assert [one.name for one in moves.take("pod~1")] == ["job"]
    assert moves.left().places("stops") == ["paused"]


def test_resuming_a_running_job_does_not_move_it(moves: Moves) -> None:
    """It was paused during the run, and resumed before the end."""
    moves.register("job")
    (job,) = moves.take("pod~1")
    moves.ask_for("pause", "job")
    assert moves.ask_for("resume", "job") == [JobAnswer.DONE]
    assert moves.left().places("job") == ["working"]
    moves.complete(job, due=job.due)
    assert moves.left().places("job") == ["waiting"]


def test_run_now_makes_a_waiting_job_due(moves: Moves) -> None:
    """One that is due keeps its place; running and paused jobs stay as they are."""
    now = moves.second()
    moves.register("later", "runs", "stops", due=now + 3600)
    moves.register("due", due=now - 50)
    moves.set_due("runs", now - 100)
    moves.take("pod~1", 1)
    moves.ask_for("pause", "stops")
    answers = moves.ask_for("run_now", "later", "due", "runs", "stops", "nobody's")
    assert answers == [JobAnswer.DONE, JobAnswer.DONE, JobAnswer.ANOTHERS, JobAnswer.NOT_HELD, JobAnswer.UNKNOWN]
    assert [one.name for one in moves.take("pod~1")] == ["due", "later"]


def test_look_counts_jobs(moves: Moves) -> None:
    """In each set, due ones, and the age of the oldest due one."""
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
