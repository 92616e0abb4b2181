"""clean, keep and lease: jobs of lost pods are due again at once, jobs of live pods stay."""

import pytest
from job_steps import KEYS, JobDriver

from penstock.scheduler.job_steps import CleanedSet, JobAnswer
from penstock.scheduler.run_record import RunRecord


def test_jobs_of_a_lost_pod_are_due_again_at_once(driver: JobDriver) -> None:
    """Long before their deadlines, once, for the same second, and so they run first."""
    driver.register("job", "other", due=driver.second() - 100)
    job, other = driver.acquire("pod~1")
    driver.lose("pod~1")
    assert driver.clean(judges=False).returned == 0
    assert (driver.clean().returned, driver.clean().returned) == (2, 0)
    state = driver.state()
    assert (state.waiting, state.working, state.owners) == (
        {"job": job.due + 0.499, "other": other.due + 0.499},
        {},
        {},
    )
    assert driver.complete(job, due=1) == [JobAnswer.NOT_HELD]


def test_a_spec_may_let_them_wait_for_their_deadlines(driver: JobDriver) -> None:
    """A pod that is only cut off may end its runs until then."""
    driver.register("job")
    (job,) = driver.acquire("pod~1")
    driver.lose("pod~1")
    assert driver.clean(waits_for_deadline=True).returned == 0
    driver.overrun(job, 1)
    assert driver.clean(waits_for_deadline=True).returned == 1


def test_a_judge_that_dies_half_way_leaves_its_work_to_others(driver: JobDriver) -> None:
    """The consumer stays marked as lost, for a lease and until a pass has ended; it can neither renew nor acquire."""
    driver.register("job", "later")
    driver.acquire("pod~1", 1)
    driver.lose("pod~1")
    driver.clean(further=1)  # the judge dies before it reaches the job
    assert not driver.renew("pod~1")
    assert driver.wait(driver.steps.acquire("pod~1", 1, look=1)) is None
    assert float(driver.ask("ZSCORE", KEYS.pods, "pod~1")) < 0
    assert driver.clean(judges=False).returned == 1
    assert driver.ask("ZSCORE", KEYS.pods, "pod~1") is not None
    driver.clean(judges=False, lease=0)
    assert driver.ask("ZSCORE", KEYS.pods, "pod~1") is None


def test_a_page_before_the_last_removes_no_mark(driver: JobDriver) -> None:
    """Jobs of the lost pod may be on later pages."""
    driver.register(*(f"job-{n:03}" for n in range(400)))
    driver.acquire("pod~1")
    driver.acquire("pod~1")
    driver.lose("pod~1")
    further, returned = 0, 0
    while further >= 0:
        page = driver.clean(further=further, lease=0)
        further, returned = page.further, returned + page.returned
    assert returned == 400


@pytest.mark.parametrize("key", [KEYS.pods, KEYS.owners])
def test_a_deleted_key_makes_no_running_job_due(driver: JobDriver, key: str) -> None:
    """Whoever deletes it: the pods still run the jobs. After the deadline nobody does."""
    driver.register("job")
    (job,) = driver.acquire("pod~1")
    driver.ask("DEL", key)
    assert driver.clean().returned == 0
    driver.overrun(job, 1)
    assert driver.clean().returned == 1


def test_a_lost_run_is_recorded_as_started(driver: JobDriver) -> None:
    """With its second and the earlier failures, which it adds to; a job lost twice is still the same run."""
    before = RunRecord(7, 1.0, 2.0, "failed", "server", 3, 9, 4, "pod~2")
    driver.register("new", "failed", due=driver.second() - 100)
    failed, new = driver.acquire("pod~2")
    driver.complete(failed, due=failed.due, story=before.write())
    driver.release(new)
    for consumer in ("pod~1", "pod~2"):
        driver.acquire(consumer)
        driver.lose(consumer)
        assert driver.clean().returned == 2
    driver.begin("pod~3")
    failed, new = driver.acquire("pod~3")
    assert new.last_run is not None
    assert failed.last_run is not None
    assert (new.begun, new.last_run.outcome, new.last_run.due, new.last_run.streak) == (True, "lost", new.due, 2)
    assert (failed.begun, failed.last_run.due, failed.last_run.streak, failed.last_run.class_) == (True, 7, 5, "lost")
    assert (new.last_run.lost, failed.last_run.lost) == (2, 2)
    assert new.last_run.consumer == "pod~2"
    assert new.last_run.ended >= new.last_run.acquired > 1_700_000_000


def test_jobs_of_a_live_pod_stay_until_the_threshold(driver: JobDriver) -> None:
    """Before the deadline, and after it until the threshold."""
    driver.register("job")
    (job,) = driver.acquire("pod~1")
    for seconds in (0, 30):
        job = driver.overrun(job, seconds)
        assert driver.clean(threshold=60_000).returned == 0
    job = driver.overrun(job, 61)
    assert driver.clean(threshold=60_000).returned == 1
    assert driver.complete(job, due=1) == [JobAnswer.NOT_HELD]


def test_a_kept_run_keeps_its_job_as_long_as_its_consumer_lives(driver: JobDriver) -> None:
    """However long it ignores its cancellation. It is handed back as any other."""
    driver.register("job", "lost")
    job, lost = driver.acquire("pod~1")
    job, lost = driver.overrun(job, 5000), driver.overrun(lost, 5000)
    assert driver.keep(job, lost) == driver.keep(job, lost) == 2
    assert driver.clean(threshold=60_000).returned == 0
    assert driver.clean("overdue", threshold=60_000).returned == 0
    assert driver.complete(job, due=1) == [JobAnswer.DONE]
    assert driver.keep(job) == 0
    driver.lose("pod~1")
    assert driver.clean().returned == 1
    assert (driver.state().places("lost"), driver.state().owners) == (["waiting"], {})


@pytest.mark.parametrize("which", ["working", "overdue"])
def test_after_an_outage_a_live_pod_has_time_to_keep_its_runs(driver: JobDriver, which: CleanedSet) -> None:
    """The deadline and the threshold passed while Redis was down: the job is not due beside a run that goes on."""
    driver.register("job")
    (job,) = driver.acquire("pod~1")
    job = driver.overrun(job, 120)
    assert driver.clean(which, threshold=60_000, judges=False).returned == 0
    assert driver.keep(job) == 1
    assert driver.clean(which, threshold=60_000).returned == 0


def test_a_page_of_overdue_runs_has_no_others(driver: JobDriver) -> None:
    """So it costs little to look at them often."""
    driver.register("early", "late")
    early, _ = driver.acquire("pod~1")
    driver.overrun(early, 700)
    page = driver.clean("overdue")
    assert (page.returned, page.further) == (1, -1)
    assert driver.state().places("late") == ["working"]


def test_an_expired_lease_can_be_renewed_until_the_leader_judges_it(driver: JobDriver) -> None:
    """During an outage of Redis no pod can renew; its jobs stay until the leader judges."""
    driver.register("job")
    driver.acquire("pod~1")
    driver.lose("pod~1")
    assert driver.clean(judges=False).returned == 0
    assert driver.renew("pod~1")
    assert driver.clean().returned == 0
    driver.lose("pod~1")
    assert driver.clean().consumers == 1
    assert not driver.renew("pod~1")
    assert driver.renew("pod~2")


def test_jobs_of_a_deregistered_pod_are_due_again(driver: JobDriver) -> None:
    """An older version does so with jobs that it could not hand back; they are due after their deadlines."""
    driver.register("job")
    (job,) = driver.acquire("pod~1")
    driver.end("pod~1")
    assert driver.clean(judges=False).returned == 0
    driver.overrun(job, 1)
    assert driver.clean(judges=False).returned == 1


def test_a_cleanup_may_be_limited_to_shards(driver: JobDriver) -> None:
    """Where every pod cleans up its own shards."""
    driver.register("of-0", shard=0)
    driver.register("of-1", shard=1)
    for job in driver.acquire("pod~1"):
        driver.overrun(job, 1)
    driver.lose("pod~1")
    driver.clean(shards=",1,")
    assert driver.state().places("of-0") == ["working"]
    assert driver.state().places("of-1") == ["waiting"]


def test_entries_that_cannot_be_jobs_are_removed(driver: JobDriver) -> None:
    """Unregistered names, and names of digits only, unless the spec keeps those."""
    now = driver.second()
    driver.register("job", "123", due=now + 60)
    driver.set_due("foreign", now)
    kept = driver.clean("waiting", removes_numeric=False)
    assert (kept.unknown, kept.numeric) == (1, 0)
    assert (driver.clean("waiting").numeric, driver.clean("waiting").numeric) == (1, 0)
    assert set(driver.state().waiting) == driver.state().jobs == {"job"}


def test_unregistered_entries_in_the_working_set_are_removed_after_their_deadlines(driver: JobDriver) -> None:
    """Before that, a pod may hold them."""
    now = driver.second()
    driver.ask("ZADD", KEYS.working, now + 60, "fresh", now - 1, "old", now - 1, "77")
    cleaned = driver.clean()
    assert (cleaned.unknown, cleaned.numeric) == (1, 1)
    assert set(driver.state().working) == {"fresh"}


def test_a_paused_orphan_stays_paused(driver: JobDriver) -> None:
    """It was paused during the run, and its pod was lost."""
    driver.register("job")
    (job,) = driver.acquire("pod~1")
    driver.change("pause", "job")
    driver.overrun(job, 1)
    driver.lose("pod~1")
    driver.clean()
    assert driver.state().places("job") == ["paused"]


def test_a_set_is_cleaned_page_by_page(driver: JobDriver) -> None:
    """Entries that a page removes make the next page skip none."""
    driver.register(*(f"job-{n:03}" for n in range(600, 1000)))
    for job in driver.acquire("pod~1"):
        driver.overrun(job, 1)
    driver.register(*(f"job-{n:03}" for n in range(600)))
    driver.acquire("pod~2")
    driver.acquire("pod~2")
    driver.lose("pod~1")
    further, returned = 0, 0
    while further >= 0:
        page = driver.clean(further=further)
        further, returned = page.further, returned + page.returned
    assert returned == 400
    assert set(driver.state().owners.values()) == {"pod~2"}
