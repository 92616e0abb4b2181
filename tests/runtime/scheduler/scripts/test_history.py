"""complete and clean: each run that ends is in its job's history once, and the history stays small."""

from collections.abc import Iterator

import pytest
from job_steps import KEYS, JobDriver
from targets import Target

from penstock.scheduler.history import PastRun
from penstock.scheduler.job_steps import StepTerms

KEEP, AGE = 3, 3600


@pytest.fixture
def driver(target: Target) -> Iterator[JobDriver]:
    with JobDriver(target.link(KEYS.waiting), StepTerms(keep=KEEP, age=AGE)) as driver:
        driver.begin("pod~1")
        driver.begin("pod~2")
        yield driver


def past(ended: float, outcome: str = "ok", **fields: object) -> PastRun:
    values = {"ended": ended, "due": 1, "started": ended - 0.5, "outcome": outcome, "attempt": 1, "class_": ""}
    return PastRun(**{**values, "error": "", "at": "", "consumer": "pod~1", **fields})  # type: ignore[arg-type] # as above


def history(driver: JobDriver, job: str = "job") -> list[PastRun]:
    return list(PastRun.read(driver.ask("HGET", KEYS.history, job)))


def run(driver: JobDriver, one: PastRun, *jobs: str) -> None:
    """Run jobs once; each run ends as `one`."""
    driver.register(*(jobs or ("job",)))
    driver.complete(*driver.acquire("pod~1"), due=driver.second() - 1, past=one.write())


def test_a_history_has_the_last_runs_newest_first(driver: JobDriver) -> None:
    """At most as many as the spec says, with all their fields."""
    runs = [past(1000.25 + n, f"ok{n}", error='Oops"\n', at="größe.py:3", class_="-", attempt=n) for n in range(5)]
    for one in runs:
        run(driver, one)
    assert history(driver) == [runs[4], runs[3], runs[2]]


def test_old_runs_leave_the_history(driver: JobDriver) -> None:
    run(driver, past(1000))
    run(driver, past(2000))
    run(driver, past(2000 + AGE))
    assert [one.ended for one in history(driver)] == [2000 + AGE, 2000]
    run(driver, past(2001 + AGE))
    assert [one.ended for one in history(driver)] == [2001 + AGE, 2000 + AGE]


def test_each_job_has_its_own_history(driver: JobDriver) -> None:
    run(driver, past(1000), "a", "b")
    run(driver, past(1001), "a", "b")
    assert [one.ended for one in history(driver, "a")] == [one.ended for one in history(driver, "b")] == [1001, 1000]


def test_a_repeated_complete_adds_a_run_once(driver: JobDriver) -> None:
    """Also if only the rest of an earlier call failed, so that the job is still held."""
    driver.register("job")
    (one,) = driver.acquire("pod~1")
    line = past(1000).write()
    driver.ask("HSET", KEYS.history, "job", line)
    driver.complete(one, past=line)
    driver.complete(one, past=line)
    assert history(driver) == [past(1000)]


def test_a_run_after_which_its_job_is_given_up_is_in_the_history(driver: JobDriver) -> None:
    run(driver, past(1000, "failed"))
    driver.register("job")
    (one,) = driver.acquire("pod~1")
    for _ in range(2):
        driver.give_up(one, past=past(1001, "failed").write())
    assert [one.ended for one in history(driver)] == [1001, 1000]


def test_a_fenced_run_adds_nothing(driver: JobDriver) -> None:
    """Its outcome counts as little as its due time. The lost run is in the history already."""
    driver.register("job")
    (late,) = driver.acquire("pod~1")
    late = driver.overrun(late, 1)
    driver.lose("pod~1")
    driver.clean()
    driver.complete(late, past=past(1000).write())
    (lost,) = history(driver)
    assert (lost.outcome, lost.attempt, lost.consumer, lost.due) == ("lost", 1, "pod~1", late.due)
    assert lost.ended >= lost.started
    assert driver.state().stories["job"]["outcome"] == "lost"


def test_the_history_goes_with_its_job(driver: JobDriver) -> None:
    run(driver, past(1000))
    driver.unregister("job")
    assert driver.ask("EXISTS", KEYS.history) == 0


def test_keeping_no_history_removes_it(driver: JobDriver) -> None:
    run(driver, past(1000))
    run(driver.with_terms(StepTerms()), past(1001))
    assert driver.ask("EXISTS", KEYS.history) == 0


def test_lines_of_other_versions_are_skipped(driver: JobDriver) -> None:
    """They count as runs until newer ones push them out."""
    driver.ask("HSET", KEYS.history, "job", b'[999,"other"]\nnonsense\n[')
    run(driver, past(1000))
    assert history(driver) == [past(1000)]


def test_a_hundred_thousand_jobs_need_little_memory(driver: JobDriver) -> None:
    """Measured with fewer jobs: what one needs, with five runs and the names of real pods."""
    steps = driver.with_terms(StepTerms(keep=5, age=AGE))
    jobs = [f"aws/eu-west-1/account-{n:04}" for n in range(250)]
    before = int(driver.ask("MEMORY", "USAGE", KEYS.history) or 0)
    for n in range(6):
        one = past(1_795_000_000.123 + n, consumer="cache-agents-6f7c9d4b8-x2x9q~1a2b3c4d", due=1_795_000_000)
        run(steps, one, *jobs)
    used = int(driver.ask("MEMORY", "USAGE", KEYS.history, "SAMPLES", 0)) - before
    assert used / len(jobs) < 1000
