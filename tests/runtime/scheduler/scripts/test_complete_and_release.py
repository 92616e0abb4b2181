"""complete and release: only the run that holds a job hands it back, and only once."""

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
def running(driver: JobDriver) -> AcquiredJob:
    """A running job."""
    driver.register("job", priority=700)
    (one,) = driver.acquire("pod~1")
    return one


@steps
def test_a_handed_back_job_waits(driver: JobDriver, running: AcquiredJob, step: Step) -> None:
    """With the score of its due time, and in no other set."""
    assert step(driver, running) is JobAnswer.DONE
    state = driver.state()
    assert (state.waiting, state.working, state.owners) == ({"job": running.due + 0.299}, {}, {})


def test_complete_writes_the_record(driver: JobDriver, running: AcquiredJob) -> None:
    """A release keeps the old record."""
    driver.complete(running, due=running.due, story='{"n":1}')
    (again,) = driver.acquire("pod~1")
    driver.release(again)
    assert driver.state().stories == {"job": {"n": 1}}


@steps
def test_a_former_holder_changes_nothing(driver: JobDriver, running: AcquiredJob, step: Step) -> None:
    """After a take-over, however often it tries."""
    running = driver.overrun(running, 1)
    driver.lose("pod~1")
    driver.clean()
    (successor,) = driver.acquire("pod~2")
    before = driver.state()
    assert [step(driver, running), step(driver, running)] == [JobAnswer.ANOTHERS] * 2
    assert driver.state() == before
    assert step(driver, successor) is JobAnswer.DONE


@steps
def test_a_job_that_is_not_held_is_not_handed_back(driver: JobDriver, running: AcquiredJob, step: Step) -> None:
    """Its due time stays."""
    running = driver.overrun(running, 1)
    driver.lose("pod~1")
    driver.clean()
    driver.set_due("job", running.due + 3600)
    before = driver.state()
    assert step(driver, running) is JobAnswer.NOT_HELD
    assert driver.state() == before


def test_a_repeated_complete_is_answered_as_done(driver: JobDriver, running: AcquiredJob) -> None:
    """The first reply was lost; the second call changes nothing."""
    assert driver.complete(running, due=running.due + 60, story='{"fence":1}') == [JobAnswer.DONE]
    before = driver.state()
    assert driver.complete(running, due=running.due + 90, story='{"fence":1}') == [JobAnswer.DONE]
    assert driver.state() == before


@steps
def test_a_job_unregistered_during_its_run_enters_no_set(driver: JobDriver, running: AcquiredJob, step: Step) -> None:
    driver.unregister("job")
    assert step(driver, running) is JobAnswer.UNKNOWN
    assert driver.state().places("job") == []
    assert driver.state().stories == {}


@steps
def test_a_job_paused_during_its_run_stays_paused(driver: JobDriver, running: AcquiredJob, step: Step) -> None:
    """With the time at which it would be due."""
    assert driver.change("pause", "job") == [JobAnswer.ANOTHERS]
    assert step(driver, running) is JobAnswer.DONE
    assert driver.state().places("job") == ["paused"]
    assert driver.state().paused["job"] == running.due + 0.299


def test_the_jobs_of_a_batch_are_independent(driver: JobDriver) -> None:
    """Held, held by another run, unregistered: none affects the others."""
    driver.register("gone", "held", "theirs")
    gone, held, held_by_another = driver.acquire("pod~1")
    driver.unregister("gone")
    driver.release(held_by_another)
    driver.acquire("pod~2")
    assert driver.complete(gone, held, held_by_another, due=held.due + 60) == [
        JobAnswer.UNKNOWN,
        JobAnswer.DONE,
        JobAnswer.ANOTHERS,
    ]
    state = driver.state()
    assert (set(state.waiting), set(state.working)) == ({"held"}, {"theirs"})


@steps
def test_an_error_half_way_loses_no_job(driver: JobDriver, running: AcquiredJob, step: Step) -> None:
    """If a set has the wrong type, the job stays in the working set and is handed back after the repair."""
    driver.ask("DEL", KEYS.waiting)
    driver.ask("SET", KEYS.waiting, "not a set")
    with pytest.raises(Refused):
        step(driver, running)
    assert driver.ask("ZSCORE", KEYS.working, "job") is not None
    driver.ask("DEL", KEYS.waiting)
    assert step(driver, running) is JobAnswer.DONE
    assert driver.state().places("job") == ["waiting"]
