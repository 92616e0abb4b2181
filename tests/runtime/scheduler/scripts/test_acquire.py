"""acquire: due jobs go to one consumer each, in order, once."""

import pytest
from job_steps import KEYS, JobDriver, entry
from redis.crc import key_slot

from penstock_spec.kinds.scheduler.keys import KeyNames, SchedulerKeys


def test_an_acquired_job_is_held_until_its_deadline(driver: JobDriver) -> None:
    """It is only in the working set, with its deadline in Redis time and its consumer."""
    driver.register("quick", timeout=5000)
    driver.register("slow", timeout=60_000)

    quick, slow = driver.acquire("pod~1")

    state = driver.state()
    assert (state.waiting, state.owners) == ({}, {"quick": "pod~1", "slow": "pod~1"})
    assert state.working == {"quick": quick.score / 1e6, "slow": slow.score / 1e6}
    assert 5 <= quick.deadline - quick.acquired <= 6
    assert 60 <= slow.deadline - slow.acquired <= 61


def test_a_job_that_is_not_due_waits(driver: JobDriver) -> None:
    """A job is due until the current second of Redis time ends."""
    now = driver.second()
    driver.register("now", due=now)
    driver.register("later", due=now + 3600)
    assert [one.name for one in driver.acquire("pod~1")] == ["now"]
    assert driver.state().places("later") == ["waiting"]


def test_lower_scores_go_first_and_ties_by_name(driver: JobDriver) -> None:
    """The longest due first; within a second by priority, then by name."""
    now = driver.second()
    driver.register("b", "a", "c", due=now)
    driver.register("urgent", due=now, priority=999)
    driver.register("unimportant", due=now, priority=0)
    driver.register("oldest", due=now - 5, priority=0)
    names = []
    for _ in range(3):
        names += [one.name for one in driver.acquire("pod~1", 2)]
    assert names == ["oldest", "urgent", "a", "b", "c", "unimportant"]


def test_a_job_is_acquired_once(driver: JobDriver) -> None:
    """The second call gets the next jobs."""
    driver.register(*(f"job-{n}" for n in range(10)))
    one, two, three = driver.acquire("pod~1", 6), driver.acquire("pod~2", 6), driver.acquire("pod~1", 6)
    assert (len(one), len(two), len(three)) == (6, 4, 0)
    assert {job.name for job in one}.isdisjoint(job.name for job in two)


def test_a_later_run_has_a_greater_fence(driver: JobDriver) -> None:
    """Also after Redis lost its data; working scores differ too."""
    fences, scores = [], []
    for round_ in range(4):
        if round_ == 2:
            driver.ask("DEL", KEYS.fence, KEYS.working)
        driver.register("job")
        (acquired,) = driver.acquire("pod~1")
        fences.append(acquired.fence)
        scores.append(acquired.score)
        driver.release(acquired)
    assert fences == sorted(set(fences))
    assert len(set(scores)) == 4


def test_a_lost_consumer_acquires_nothing(driver: JobDriver) -> None:
    """The reply says that it is lost."""
    driver.register("job")
    driver.end("pod~1")
    assert driver.wait(driver.steps.acquire("pod~1", 5, look=5)) is None
    assert driver.state().places("job") == ["waiting"]


def test_the_last_record_comes_with_the_job(driver: JobDriver) -> None:
    """The run knows the failures before it."""
    driver.register("job")
    driver.complete(
        *driver.acquire("pod~1"),
        due=driver.second(),
        story='{"due":7,"acquired":1,"ended":2,"outcome":"failed","class":"-","streak":3,"next":9,"fence":4,"life":"pod~1"}',
    )
    (acquired,) = driver.acquire("pod~2")
    assert acquired.last_run is not None
    assert (acquired.last_run.streak, acquired.last_run.due, acquired.last_run.outcome) == (3, 7, "failed")


def test_jobs_of_other_shards_are_skipped(driver: JobDriver) -> None:
    """Each consumer acquires from its shards; the reply counts the other jobs."""
    for shard in range(3):
        driver.register(f"of-{shard}", shard=shard)
    result = driver.acquire_result("pod~1", shards=",0,2,")
    assert ([one.name for one in result.jobs], result.others) == (["of-0", "of-2"], 1)
    assert [one.name for one in driver.acquire("pod~2", shards=",1,")] == ["of-1"]


def test_many_jobs_of_other_shards_hide_no_job(driver: JobDriver) -> None:
    """If a call skips all jobs that it inspects, the next call inspects the following ones."""
    now = driver.second()
    driver.register(*(f"other-{n:02}" for n in range(30)), due=now - 9, shard=1)
    driver.register("own", due=now)
    result = driver.acquire_result("pod~1", look=10, shards=",0,")
    calls = 1
    while not result.jobs and result.further:
        result = driver.acquire_result("pod~1", look=10, further=result.further, shards=",0,")
        calls += 1
    assert ([one.name for one in result.jobs], calls) == (["own"], 4)


def test_named_and_unregistered_jobs_are_skipped(driver: JobDriver) -> None:
    """They stay, and are counted separately."""
    driver.register("a", "skipped")
    driver.set_due("foreign", driver.second())
    result = driver.acquire_result("pod~1", skip=["skipped"])
    assert [one.name for one in result.jobs] == ["a"]
    assert (result.others, result.passed, result.unknown) == (0, 1, 1)
    assert set(driver.state().waiting) == {"skipped", "foreign"}


def test_no_script_blocks_redis_for_long(driver: JobDriver) -> None:
    """The largest batch of each step takes milliseconds, with ten thousand jobs."""
    now = driver.second()
    for page in range(20):
        entries = [entry(f"job-{page:02}-{n:03}", now + (60 if page else 0), now) for n in range(500)]
        driver.wait(driver.steps.register(entries))
    driver.ask("CONFIG", "RESETSTAT")
    acquired = driver.acquire("pod~1")
    assert len(acquired) == 500
    driver.complete(*acquired, due=now + 60)
    assert driver.clean("waiting").further > 0
    stats = driver.ask("INFO", "commandstats").decode()
    (line,) = [one for one in stats.splitlines() if one.startswith("cmdstat_evalsha:")]
    calls, micro = (int(line.partition(f"{word}=")[2].partition(",")[0]) for word in ("calls", "usec"))
    assert calls >= 3
    assert micro / calls < 50_000, "ten times the bound, as the machine may be busy; an unbounded script is slower"


@pytest.mark.parametrize("tag", ["ps", "a*b", "größe"])
def test_all_keys_share_a_slot(tag: str) -> None:
    """With a hash tag of any text."""
    keys = SchedulerKeys.of(KeyNames(prefix="p:", waiting="w", hash_tag=tag))
    values = [getattr(keys, name) for name in keys.__slots__]
    assert len({key_slot(key.encode()) for key in values}) == 1
