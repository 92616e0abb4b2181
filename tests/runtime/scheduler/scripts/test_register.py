"""register and unregister: a registered job is in one set, and a second registration changes nothing."""

from job_steps import KEYS, JobDriver

from penstock.scheduler.job_steps import JobAnswer


def test_a_new_job_waits(driver: JobDriver) -> None:
    """With the due time and priority that its pod gives."""
    now = driver.second()
    assert driver.register("a", "b", due=now + 7, priority=900) == 2
    assert driver.state().waiting == {"a": now + 7.099, "b": now + 7.099}


def test_a_waiting_job_keeps_its_due_time(driver: JobDriver) -> None:
    """However often it is registered; a new priority applies at once."""
    now = driver.second()
    driver.register("job", due=now + 7)
    assert driver.register("job", due=now + 500) == 0
    assert driver.state().waiting == {"job": now + 7.499}
    driver.register("job", due=now + 500, priority=999)
    assert driver.state().waiting == {"job": now + 7.0}


def test_a_shorter_interval_applies_at_once(driver: JobDriver) -> None:
    """A changed schedule makes the due time earlier, never later."""
    now = driver.second()
    driver.register("daily", due=now + 86_400, schedule="24h")
    driver.register("daily", due=now, latest=now + 30, schedule="30s")
    assert driver.state().waiting == {"daily": now + 30.499}
    driver.register("daily", due=now, latest=now + 86_400, schedule="24h")
    assert driver.state().waiting == {"daily": now + 30.499}


def test_running_and_paused_jobs_stay_in_their_set(driver: JobDriver) -> None:
    """They enter no other set."""
    driver.register("running", "paused")
    driver.change("pause", "paused")
    driver.acquire("pod~1")
    assert driver.register("running", "paused") == 0
    assert driver.state().places("running") == ["working"]
    assert driver.state().places("paused") == ["paused"]


def test_a_refresh_restores_lost_jobs(driver: JobDriver) -> None:
    driver.register("job")
    driver.ask("DEL", KEYS.waiting)
    assert driver.register("job") == 1
    assert driver.state().places("job") == ["waiting"]


def test_an_unregistered_job_stops_waiting(driver: JobDriver) -> None:
    """Its record is removed; a second call removes nothing."""
    driver.register("job", "other")
    (job,) = driver.acquire("pod~1", 1)
    driver.complete(job, due=job.due)
    assert (driver.unregister("job"), driver.unregister("job")) == (1, 0)
    state = driver.state()
    assert (state.jobs, state.stories, set(state.waiting)) == ({"other"}, {}, {"other"})


def test_unregistering_keeps_jobs_that_another_pod_registered_since(driver: JobDriver) -> None:
    driver.register("job")
    now = driver.second()
    assert driver.unregister("job", unseen_since=now - 60) == 0
    assert driver.unregister("job", unseen_since=now + 60) == 1


def test_a_paused_job_stays_paused_when_registered_again(driver: JobDriver) -> None:
    """Its pods were away, or its shard moved; nobody has resumed it."""
    driver.register("job")
    driver.change("pause", "job")
    driver.unregister("job")
    driver.register("job")
    assert driver.state().places("job") == ["paused"]
    assert driver.change("resume", "job") == [JobAnswer.DONE]
    assert driver.state().places("job") == ["waiting"]
