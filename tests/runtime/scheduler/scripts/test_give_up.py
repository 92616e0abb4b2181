"""give_up: a job that failed too often is paused in the step that hands it back."""

from job_steps import KEYS, JobDriver

from penstock.scheduler.job_steps import JobAnswer
from penstock.scheduler.run_record import RunRecord

FAILED = RunRecord(7, 1.0, 2.0, "failed", "server", 3, 9, 4, "pod~1")


def test_a_job_that_is_given_up_is_paused_with_its_record(driver: JobDriver) -> None:
    """No pod acquires it. A repeated call changes nothing."""
    driver.register("job", "other")
    job, other = driver.acquire("pod~1")
    assert driver.give_up(job, due=42, story=FAILED.write()) == [JobAnswer.DONE]
    assert driver.give_up(job, due=42, story=FAILED.write()) == [JobAnswer.DONE]
    assert driver.complete(other, due=1) == [JobAnswer.DONE]
    state = driver.state()
    assert (state.places("job"), state.paused, state.owners) == (["paused"], {"job": 42.499}, {})
    assert state.stories["job"]["streak"] == 3
    assert [one.name for one in driver.acquire("pod~1")] == ["other"]
    assert (driver.given_up(), driver.counts().given_up, driver.counts().paused) == ({"job"}, 1, 1)


def test_a_run_that_lost_its_job_gives_nothing_up(driver: JobDriver) -> None:
    """Another run has the job; or none, or it is not registered."""
    driver.register("job", "gone")
    lost = {one.name: one for one in driver.acquire("pod~1")}
    driver.lose("pod~1")
    driver.clean()
    driver.acquire("pod~2")
    driver.unregister("gone")
    assert driver.give_up(lost["job"], lost["gone"]) == [JobAnswer.ANOTHERS, JobAnswer.ANOTHERS]
    assert (driver.state().paused, driver.given_up()) == ({}, set())
    driver.register("again")
    (again,) = driver.acquire("pod~2")
    driver.unregister("again")
    assert driver.give_up(again) == [JobAnswer.UNKNOWN]
    assert (driver.state().places("again"), driver.given_up()) == ([], set())


def test_resuming_it_counts_its_failures_anew(driver: JobDriver) -> None:
    """Everything else of its record stays; a job that was paused by a person keeps its count."""
    driver.register("job", "other")
    job, other = driver.acquire("pod~1")
    driver.give_up(job, due=42, story=FAILED.write())
    driver.change("pause", "other")
    driver.complete(other, due=43, story=FAILED.write())
    assert driver.change("resume", "job", "other") == [JobAnswer.DONE, JobAnswer.DONE]
    assert driver.given_up() == set()
    job, other = driver.acquire("pod~1")
    assert (job.last_run, other.last_run) == (FAILED._replace(streak=0), FAILED)
    assert job.due == 42


def test_a_person_may_have_paused_it_before(driver: JobDriver) -> None:
    """It is given up nevertheless, and resumed once."""
    driver.register("job")
    (job,) = driver.acquire("pod~1")
    driver.change("pause", "job")
    assert driver.give_up(job, due=42) == [JobAnswer.DONE]
    assert driver.state().paused == {"job": 42.499}
    assert driver.change("resume", "job", "job") == [JobAnswer.DONE, JobAnswer.NOT_HELD]
    assert driver.state().places("job") == ["waiting"]


def test_unregistering_it_forgets_that_it_was_given_up(driver: JobDriver) -> None:
    """Its alert would never end; a job paused by a person stays paused."""
    driver.register("job", "other")
    job, _ = driver.acquire("pod~1")
    driver.give_up(job)
    driver.change("pause", "other")
    assert driver.unregister("job", "other") == 2
    assert (driver.given_up(), set(driver.state().paused)) == (set(), {"other"})
    assert driver.ask("ZSCORE", KEYS.given_up, "job") is None
