"""clean counts the runs in a row that were lost with their pods: the job may be what crashes them."""

import json

import pytest
from job_steps import KEYS, JobDriver

from penstock.scheduler.job_steps import JobAnswer, LostRun, StepTerms
from penstock.scheduler.run_record import LOST, STOPPED, RunRecord

TERMS = StepTerms(keep=10, age=3600, wait=(30_000, 2.0, 100_000, 0.0))


@pytest.fixture
def counting(driver: JobDriver) -> JobDriver:
    """Waits 30 s after the second lost run in a row, at most 100 s."""
    return driver.with_terms(TERMS)


def lose_a_run(driver: JobDriver, number: int) -> tuple[int, list[LostRun]]:
    """Lose a pod of its own with a run of the due jobs; return the second before, and what the page reports."""
    driver.begin(f"lost~{number}")
    jobs = driver.acquire(f"lost~{number}")
    assert jobs
    suspects = [job for job in jobs if job.is_suspect]
    assert len(suspects) == (len(jobs) if number > 2 else 0)
    if suspects:
        driver.keep(*suspects, mark="alone")
    driver.lose(f"lost~{number}")
    second = driver.second()
    return second, list(driver.clean().repeated)


def test_each_lost_run_in_a_row_waits_longer_than_the_one_before(counting: JobDriver) -> None:
    """The first is due at once, for its second: pods are lost for many reasons. The wait has a limit."""
    counting.register("job")
    for number, wait in enumerate([0, 30, 60, 100, 100], 1):
        second, repeated = lose_a_run(counting, number)
        (due,) = counting.state().waiting.values()
        assert wait <= int(due) - second <= wait + 2 if wait else int(due) <= second
        assert repeated == ([] if number == 1 else [LostRun("job", number, number, int(due))])
        story = counting.state().stories["job"]
        assert (story["lost"], story["streak"], story["class"], story["next"]) == (number, number, LOST, int(due))
        counting.set_due("job", counting.second() - 1)
    newest, *_ = counting.ask("HGET", KEYS.history, "job").split(b"\n")
    assert json.loads(newest)[3:6] == ["lost", 5, LOST]


def test_the_waits_of_jobs_that_are_lost_together_differ(driver: JobDriver) -> None:
    """By their random share, so that the jobs beside the one that crashes pods leave its company."""
    spread = driver.with_terms(StepTerms(wait=(1_000_000, 1.0, 10_000_000, 0.5)))
    spread.register(*(f"job-{number}" for number in range(20)))
    lose_a_run(spread, 1)
    second, _ = lose_a_run(spread, 2)
    waits = {int(due) - second for due in spread.state().waiting.values()}
    assert len(waits) > 10
    assert all(500 <= wait <= 1502 for wait in waits)


def test_too_many_failures_in_a_row_pause_the_job(driver: JobDriver) -> None:
    """Lost runs and others count together. Resumed, it counts anew."""
    counting = driver.with_terms(StepTerms(pause_after=4, wait=(1, 1.0, 1, 0.0)))
    counting.register("job")
    (job,) = counting.acquire("pod~1")
    failed = RunRecord(job.due, 1.0, 2.0, "failed", "server", 1, job.due, 4, "pod~1")
    assert counting.complete(job, due=job.due, story=failed.write()) == [JobAnswer.DONE]
    for number in (1, 2):
        lose_a_run(counting, number)
        assert counting.given_up() == set()
        counting.set_due("job", counting.second() - 1)
    _, repeated = lose_a_run(counting, 3)
    assert repeated == [LostRun("job", 3, 4, 0)]
    assert (counting.state().places("job"), counting.given_up()) == (["paused"], {"job"})
    assert counting.change("resume", "job") == [JobAnswer.DONE]
    story = counting.state().stories["job"]
    assert (story["streak"], story["lost"], counting.given_up()) == (0, 0, set())


def test_a_job_that_shared_a_pod_with_others_is_not_paused(driver: JobDriver) -> None:
    """Whatever the limit: another job may have crashed the pod. As a suspect it counts only after it started alone."""
    counting = driver.with_terms(StepTerms(pause_after=1, wait=(1, 1.0, 1, 0.0)))
    counting.register("crashes", "beside")
    for number in (1, 2):
        lose_a_run(counting, number)
        for name in ("crashes", "beside"):
            counting.set_due(name, counting.second() - 1)
    assert counting.given_up() == set()
    counting.begin("lost~3")
    beside, crashes = counting.acquire("lost~3")
    assert (beside.is_suspect, crashes.is_suspect) == (True, True)
    assert counting.keep(crashes, mark="alone") == 1
    counting.lose("lost~3")
    counting.clean()
    assert (counting.given_up(), counting.state().places("beside")) == ({"crashes"}, ["waiting"])
    story = counting.state().stories["beside"]
    assert (story["lost"], story["streak"], story["next"]) == (2, 2, beside.due)


def test_a_run_that_a_living_pod_lost_does_not_count(counting: JobDriver) -> None:
    """Its deadline passed, and its pod does not report that it goes on; the pod lives."""
    counting.register("job")
    (job,) = counting.acquire("pod~1")
    counting.overrun(job, 700)
    assert counting.clean().returned == 1
    story = counting.state().stories["job"]
    assert (story["outcome"], story["streak"], story["lost"], story["class"]) == ("lost", 0, 0, "")


@pytest.mark.parametrize("outcome", [STOPPED, LOST])
def test_a_run_that_its_pod_handed_back_neither_counts_nor_ends_the_series(counting: JobDriver, outcome: str) -> None:
    """A drain, or a pod that saw itself that its lease had expired."""
    counting.register("job")
    lose_a_run(counting, 1)
    (job,) = counting.acquire("pod~1")
    assert job.last_run is not None
    assert (job.last_run.streak, job.last_run.lost) == (1, 1)
    record = job.last_run._replace(outcome=outcome, class_="", next=job.due, consumer="pod~1")
    assert counting.complete(job, due=job.due, story=record.write()) == [JobAnswer.DONE]
    lose_a_run(counting, 2)
    assert counting.state().stories["job"]["lost"] == 2


def test_a_pod_that_lives_on_counts_once(counting: JobDriver) -> None:
    """It was cut off from Redis. When it reports its run, another pod has handed the job back."""
    counting.register("job")
    (job,) = counting.acquire("pod~1")
    counting.lose("pod~1")
    assert counting.clean().returned == 1
    late = RunRecord(job.due, 1.0, 2.0, LOST, "", 0, job.due, job.fence, "pod~1")
    assert counting.complete(job, due=job.due, story=late.write()) == [JobAnswer.NOT_HELD]
    assert counting.clean().returned == 0
    assert counting.state().stories["job"]["lost"] == 1


def test_a_success_ends_the_series(counting: JobDriver) -> None:
    """Then the next lost run is the first again."""
    counting.register("job")
    lose_a_run(counting, 1)
    (job,) = counting.acquire("pod~1")
    done = RunRecord(job.due, 1.0, 2.0, "ok", "", 0, job.due, job.fence, "pod~1")
    counting.complete(job, due=job.due, story=done.write())
    second, repeated = lose_a_run(counting, 2)
    assert (repeated, counting.state().stories["job"]["lost"]) == ([], 1)
    assert counting.state().waiting["job"] < second + 1


def test_a_cleanup_that_fails_half_way_counts_a_run_once(counting: JobDriver) -> None:
    """Its record was written, and the job still has its place in the working set: the next pass repeats the step."""
    counting.register("job")
    lose_a_run(counting, 1)
    counting.begin("lost~2")
    counting.acquire("lost~2")
    counting.lose("lost~2")
    before = {key: counting.ask("DUMP", key) for key in (KEYS.working, KEYS.owners)}
    counting.clean()
    due = counting.state().waiting["job"]
    for key, value in before.items():
        counting.ask("RESTORE", key, 0, value, "REPLACE")
    counting.ask("ZREM", KEYS.waiting, "job")
    assert counting.clean().returned == 1
    story = counting.state().stories["job"]
    assert (story["lost"], story["streak"], counting.state().waiting) == (2, 2, {"job": due})


def test_a_record_of_an_older_version_counts_from_nothing(counting: JobDriver) -> None:
    """It has no count of lost runs."""
    counting.register("job")
    lose_a_run(counting, 1)
    story = counting.state().stories["job"]
    del story["lost"]
    counting.ask("HSET", KEYS.story, "job", json.dumps(story, separators=(",", ":")))
    lose_a_run(counting, 2)
    story = counting.state().stories["job"]
    assert (story["lost"], story["streak"]) == (1, 2)
