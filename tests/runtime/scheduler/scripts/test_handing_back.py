"""complete and release: only the run that holds a job hands it back, once, however often it is called."""

from collections.abc import Callable

import pytest
from job_steps import KEYS, JobDriver

from penstock.scheduler.job_steps import AcquiredJob, JobAnswer
from penstock.wire.errors import Refused

Step = Callable[[JobDriver, AcquiredJob], JobAnswer]


def complete(driver: JobDriver, one: AcquiredJob) -> JobAnswer:
    return driver.complete(one, due=one.due)[0]


def release(driver: JobDriver, one: AcquiredJob) -> JobAnswer:
    return driver.release(one)[0]


steps = pytest.mark.parametrize("step", [complete, release])


@pytest.fixture
def taken(driver: JobDriver) -> AcquiredJob:
    """A running job."""
    driver.register("job", priority=700)
    (one,) = driver.acquire("pod~1")
    return one


@steps
def test_a_handed_back_job_waits(driver: JobDriver, taken: AcquiredJob, step: Step) -> None:
    """With the score of its due time, and in no other set."""
    assert step(driver, taken) is JobAnswer.DONE
    left = driver.state()
    assert (left.waiting, left.working, left.owners) == ({"job": taken.due + 0.299}, {}, {})


def test_complete_writes_the_record(driver: JobDriver, taken: AcquiredJob) -> None:
    """A release leaves the old record."""
    driver.complete(taken, due=taken.due, story='{"n":1}')
    (again,) = driver.acquire("pod~1")
    driver.release(again)
    assert driver.state().stories == {"job": {"n": 1}}


@steps
def test_another_run_is_left_alone(driver: JobDriver, taken: AcquiredJob, step: Step) -> None:
    """S3: after a take-over the first holder changes nothing, however often it tries."""
    taken = driver.overrun(taken, 1)
    driver.lose("pod~1")
    driver.clean()
    (theirs,) = driver.acquire("pod~2")
    before = driver.state()
    assert [step(driver, taken), step(driver, taken)] == [JobAnswer.ANOTHERS] * 2
    assert driver.state() == before
    assert step(driver, theirs) is JobAnswer.DONE


@steps
def test_a_job_is_handed_back_once(driver: JobDriver, taken: AcquiredJob, step: Step) -> None:
    """Its due time stays."""
    taken = driver.overrun(taken, 1)
    driver.lose("pod~1")
    driver.clean()
    driver.set_due("job", taken.due + 3600)
    before = driver.state()
    assert step(driver, taken) is JobAnswer.NOT_HELD
    assert driver.state() == before


def test_a_repeated_complete_is_answered_as_done(driver: JobDriver, taken: AcquiredJob) -> None:
    """The first call was not answered; the second changes nothing."""
    assert driver.complete(taken, due=taken.due + 60, story='{"fence":1}') == [JobAnswer.DONE]
    before = driver.state()
    assert driver.complete(taken, due=taken.due + 90, story='{"fence":1}') == [JobAnswer.DONE]
    assert driver.state() == before


@steps
def test_an_unregistered_job_goes_to_no_set(driver: JobDriver, taken: AcquiredJob, step: Step) -> None:
    """It was unregistered during the run."""
    driver.unregister("job")
    assert step(driver, taken) is JobAnswer.UNKNOWN
    assert driver.state().places("job") == []
    assert driver.state().stories == {}


@steps
def test_a_job_paused_during_its_run_stays_paused(driver: JobDriver, taken: AcquiredJob, step: Step) -> None:
    """With the time at which it would be due."""
    assert driver.ask_for("pause", "job") == [JobAnswer.ANOTHERS]
    assert step(driver, taken) is JobAnswer.DONE
    assert driver.state().places("job") == ["paused"]
    assert driver.state().paused["job"] == taken.due + 0.299


def test_the_jobs_of_a_batch_are_independent(driver: JobDriver) -> None:
    """Held, held by another run, gone: none affects the others."""
    driver.register("gone", "ours", "theirs")
    gone, ours, theirs = driver.acquire("pod~1")
    driver.unregister("gone")
    driver.release(theirs)
    driver.acquire("pod~2")
    assert driver.complete(gone, ours, theirs, due=ours.due + 60) == [
        JobAnswer.UNKNOWN,
        JobAnswer.DONE,
        JobAnswer.ANOTHERS,
    ]
    left = driver.state()
    assert (set(left.waiting), set(left.working)) == ({"ours"}, {"theirs"})


@steps
def test_an_error_half_way_loses_no_job(driver: JobDriver, taken: AcquiredJob, step: Step) -> None:
    """S4: if a set has the wrong type the job stays in the working set, and can be handed back once it is repaired."""
    driver.ask("DEL", KEYS.waiting)
    driver.ask("SET", KEYS.waiting, "not a set")
    with pytest.raises(Refused):
        step(driver, taken)
    assert driver.ask("ZSCORE", KEYS.working, "job") is not None
    driver.ask("DEL", KEYS.waiting)
    assert step(driver, taken) is JobAnswer.DONE
    assert driver.state().places("job") == ["waiting"]
