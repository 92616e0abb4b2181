"""pause, resume, run_now and look: what operators do to jobs, and the numbers that pods measure."""

from job_steps import KEYS, JobDriver

from penstock.scheduler.job_steps import JobAnswer


def test_a_paused_job_waits_until_it_is_resumed(driver: JobDriver) -> None:
    """It keeps its score."""
    driver.register("job", "other", due=driver.second() - 5)
    before = driver.state().waiting
    assert driver.change("pause", "job", "missing") == [JobAnswer.DONE, JobAnswer.UNKNOWN]
    assert driver.change("pause", "job") == [JobAnswer.NOT_HELD]
    assert driver.state().places("job") == ["paused"]
    assert driver.change("resume", "job", "other", "missing") == [
        JobAnswer.DONE,
        JobAnswer.NOT_HELD,
        JobAnswer.UNKNOWN,
    ]
    assert driver.state().waiting == before


def test_a_pause_of_all_jobs_stops_acquiring(driver: JobDriver) -> None:
    """Jobs paused by name stay paused when it ends."""
    driver.register("job", "paused")
    driver.change("pause", "paused")
    driver.change("pause", "*")
    assert driver.counts().all_paused
    assert driver.acquire("pod~1") == []
    driver.change("resume", "*")
    assert [one.name for one in driver.acquire("pod~1")] == ["job"]
    assert driver.state().places("paused") == ["paused"]


def test_resuming_a_running_job_does_not_move_it(driver: JobDriver) -> None:
    """It was paused and resumed during the run."""
    driver.register("job")
    (job,) = driver.acquire("pod~1")
    driver.change("pause", "job")
    assert driver.change("resume", "job") == [JobAnswer.DONE]
    assert driver.state().places("job") == ["working"]
    driver.complete(job, due=job.due)
    assert driver.state().places("job") == ["waiting"]


def test_run_now_makes_a_waiting_job_due(driver: JobDriver) -> None:
    """A due job keeps its place; running and paused jobs stay."""
    now = driver.second()
    driver.register("later", "running", "paused", due=now + 3600)
    driver.register("due", due=now - 50)
    driver.set_due("running", now - 100)
    driver.acquire("pod~1", 1)
    driver.change("pause", "paused")
    answers = driver.change("run_now", "later", "due", "running", "paused", "missing")
    assert answers == [JobAnswer.DONE, JobAnswer.DONE, JobAnswer.RUNS_AFTER, JobAnswer.NOT_HELD, JobAnswer.UNKNOWN]
    assert [one.name for one in driver.acquire("pod~1")] == ["due", "later"]


def test_look_counts_jobs(driver: JobDriver) -> None:
    """In each set, and those that are due; with the age of the oldest due job."""
    assert (driver.counts().ready, driver.counts().overdue) == (0, 0)
    now = driver.second()
    driver.register("a", due=now - 30)
    driver.register("b", due=now - 10, shard=1)
    driver.register("later", due=now + 60)
    driver.register("paused", due=now - 99)
    driver.change("pause", "paused", "*")
    numbers = driver.counts()
    assert (numbers.waiting, numbers.working, numbers.paused, numbers.ready) == (3, 0, 1, 2)
    assert 30 <= numbers.overdue <= 40
    assert driver.counts(",1,").ready == 1
    driver.change("resume", "*")
    driver.acquire("pod~1", 1)
    assert (driver.counts().waiting, driver.counts().working) == (2, 1)


def test_entries_that_no_pod_may_take_are_not_ready(driver: JobDriver) -> None:
    """A foreign entry, such as a number with the score 0, is neither ready nor overdue for fifty years."""
    now = driver.second()
    driver.ask("ZADD", KEYS.waiting, 0, "12345", 7, "unknown")
    assert (driver.counts().ready, driver.counts().overdue, driver.counts(",0,").ready) == (0, 0, 0)
    driver.register("a", due=now - 30)
    driver.register("b", due=now - 60, shard=1)
    assert (driver.counts().ready, driver.counts(",0,").ready) == (2, 1)
    assert 60 <= driver.counts().overdue <= 70
    assert 30 <= driver.counts(",0,").overdue <= 40
