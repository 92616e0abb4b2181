"""run_now: due now, or after the run that has not ended, as the job's `overlap` says."""

import pytest
from job_steps import KEYS, JobDriver

from penstock.scheduler.job_steps import JobAnswer


def test_a_running_job_runs_again_when_its_run_ends(driver: JobDriver) -> None:
    """Asked twice, once more; at the second of the first request. The next run has its own due time."""
    driver.register("job")
    (job,) = driver.acquire("pod~1")
    assert driver.change("run_now", "job", "job") == [JobAnswer.RUNS_AFTER, JobAnswer.RUNS_AFTER]
    assert driver.counts().again == {"job"}
    later = driver.second() + 3600
    driver.complete(job, due=later)
    (again,) = driver.acquire("pod~1")
    assert again.due <= driver.second()
    assert driver.counts().again == set()
    driver.complete(again, due=later)
    assert driver.state().waiting == {"job": later + 0.499}


@pytest.mark.parametrize(
    ("overlap", "answer"),
    [("skip", JobAnswer.ANOTHERS), ("wait", JobAnswer.RUNS_AFTER), ("replace", JobAnswer.REPLACED)],
)
def test_the_overlap_of_the_job_decides(driver: JobDriver, overlap: str, answer: JobAnswer) -> None:
    """With `skip` nothing changes."""
    driver.register("job", overlap="" if overlap == "wait" else overlap)
    driver.acquire("pod~1")
    assert driver.change("run_now", "job") == [answer]
    assert driver.counts().again == (set() if overlap == "skip" else {"job"})


@pytest.mark.parametrize("how", ["release", "give_up", "lost", "unregistered"])
def test_a_request_ends_with_the_run_however_it_ends(driver: JobDriver, how: str) -> None:
    """A request that stayed would make a later run start twice."""
    driver.register("job")
    (job,) = driver.acquire("pod~1")
    driver.change("run_now", "job")
    match how:
        case "release":
            driver.release(job)
        case "give_up":
            driver.give_up(job, due=driver.second() + 3600)
        case "lost":
            driver.lose("pod~1")
            driver.clean()
        case _:
            driver.unregister("job")
            driver.complete(job, due=1)
    assert driver.ask("ZCARD", KEYS.again) == 0
    places = {"give_up": ["paused"], "unregistered": []}
    assert driver.state().places("job") == places.get(how, ["waiting"])


def test_a_running_job_that_is_not_registered_is_left_alone(driver: JobDriver) -> None:
    """It does not run again."""
    driver.register("job")
    driver.acquire("pod~1")
    driver.unregister("job")
    assert driver.change("run_now", "job") == [JobAnswer.ANOTHERS]
    assert driver.counts().again == set()
