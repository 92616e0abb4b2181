"""acquire: due jobs go to one consumer, in order, each once."""

import pytest
from job_steps import KEYS, JobDriver, entry
from redis.crc import key_slot

from penstock_spec.kinds.scheduler.keys import KeyNames, SchedulerKeys


def test_an_acquired_job_is_held_until_its_deadline(driver: JobDriver) -> None:
    """It is only in the working set, with a deadline in Redis time and the consumer that holds it."""
    driver.register("quick", timeout=5000)
    driver.register("slow", timeout=60_000)

    quick, slow = driver.acquire("pod~1")

    left = driver.state()
    assert (left.waiting, left.owners) == ({}, {"quick": "pod~1", "slow": "pod~1"})
    assert left.working == {"quick": quick.score / 1e6, "slow": slow.score / 1e6}
    assert 5 <= quick.deadline - quick.acquired <= 6
    assert 60 <= slow.deadline - slow.acquired <= 61


def test_a_job_that_is_not_due_waits(driver: JobDriver) -> None:
    """A job is due until the present second of Redis time ends."""
    now = driver.second()
    driver.register("now", due=now)
    driver.register("later", due=now + 3600)
    assert [one.name for one in driver.acquire("pod~1")] == ["now"]
    assert driver.state().places("later") == ["waiting"]


def test_lower_scores_go_first_and_ties_by_name(driver: JobDriver) -> None:
    """The longest due first; within a second the higher priority, and then by name."""
    now = driver.second()
    driver.register("b", "a", "c", due=now)
    driver.register("urgent", due=now, priority=999)
    driver.register("whenever", due=now, priority=0)
    driver.register("oldest", due=now - 5, priority=0)
    names = []
    for _ in range(3):
        names += [one.name for one in driver.acquire("pod~1", 2)]
    assert names == ["oldest", "urgent", "a", "b", "c", "whenever"]


def test_a_job_is_acquired_once(driver: JobDriver) -> None:
    """The second call gets the next jobs."""
    driver.register(*(f"job-{n}" for n in range(10)))
    one, two, three = driver.acquire("pod~1", 6), driver.acquire("pod~2", 6), driver.acquire("pod~1", 6)
    assert (len(one), len(two), len(three)) == (6, 4, 0)
    assert {job.name for job in one}.isdisjoint(job.name for job in two)


def test_fences_only_grow(driver: JobDriver) -> None:
    """The later run has the greater fence, also after Redis lost its data; working scores differ."""
    fences, scores = [], []
    for round_ in range(4):
        if round_ == 2:
            driver.ask("DEL", KEYS.fence, KEYS.working)
        driver.register("job")
        (taken,) = driver.acquire("pod~1")
        fences.append(taken.fence)
        scores.append(taken.score)
        driver.release(taken)
    assert fences == sorted(set(fences))
    assert len(set(scores)) == 4


def test_a_lost_consumer_acquires_nothing(driver: JobDriver) -> None:
    """The reply says so."""
    driver.register("job")
    driver.end("pod~1")
    assert driver.wait(driver.steps.acquire("pod~1", 5, look=5)) is None
    assert driver.state().places("job") == ["waiting"]


def test_the_last_record_comes_with_the_job(driver: JobDriver) -> None:
    """The run knows of the failures before it."""
    driver.register("job")
    driver.complete(
        *driver.acquire("pod~1"),
        due=driver.second(),
        story='{"due":7,"acquired":1,"ended":2,"outcome":"failed","class":"-","streak":3,"next":9,"fence":4,"life":"pod~1"}',
    )
    (taken,) = driver.acquire("pod~2")
    assert taken.story is not None
    assert (taken.story.streak, taken.story.due, taken.story.outcome) == (3, 7, "failed")


def test_jobs_of_other_shards_are_skipped(driver: JobDriver) -> None:
    """Each consumer acquires from its shards; the reply counts the others."""
    for shard in range(3):
        driver.register(f"of-{shard}", shard=shard)
    took = driver.acquire_result("pod~1", shards=",0,2,")
    assert ([one.name for one in took.jobs], took.others) == (["of-0", "of-2"], 1)
    assert [one.name for one in driver.acquire("pod~2", shards=",1,")] == ["of-1"]


def test_many_jobs_of_other_shards_hide_none(driver: JobDriver) -> None:
    """If all jobs that one call inspects are skipped, the next call inspects those behind them."""
    now = driver.second()
    driver.register(*(f"theirs-{n:02}" for n in range(30)), due=now - 9, shard=1)
    driver.register("mine", due=now)
    took = driver.acquire_result("pod~1", look=10, shards=",0,")
    calls = 1
    while not took.jobs and took.further:
        took = driver.acquire_result("pod~1", look=10, further=took.further, shards=",0,")
        calls += 1
    assert ([one.name for one in took.jobs], calls) == (["mine"], 4)


def test_named_and_unregistered_jobs_are_skipped(driver: JobDriver) -> None:
    """They stay where they are, and are counted separately."""
    driver.register("a", "not-for-it")
    driver.set_due("stranger", driver.second())
    took = driver.acquire_result("pod~1", skip=["not-for-it"])
    assert [one.name for one in took.jobs] == ["a"]
    assert (took.others, took.passed, took.unknown) == (0, 1, 1)
    assert set(driver.state().waiting) == {"not-for-it", "stranger"}


def test_no_script_blocks_redis_for_long(driver: JobDriver) -> None:
    """The largest batch of each step takes a few milliseconds in SLOWLOG, with a hundred thousand jobs."""
    now = driver.second()
    for page in range(20):
        entries = [entry(f"job-{page:02}-{n:03}", now + (60 if page else 0), now) for n in range(500)]
        driver.wait(driver.steps.register(entries))
    driver.ask("CONFIG", "RESETSTAT")
    taken = driver.acquire("pod~1")
    assert len(taken) == 500
    driver.complete(*taken, due=now + 60)
    assert driver.clean("waiting").further > 0
    told = driver.ask("INFO", "commandstats").decode()
    (line,) = [one for one in told.splitlines() if one.startswith("cmdstat_evalsha:")]
    calls, micro = (int(line.partition(f"{word}=")[2].partition(",")[0]) for word in ("calls", "usec"))
    assert calls >= 3
    assert micro / calls < 50_000, "ten times the promise: this machine may be busy, a script without a bound is slower"


@pytest.mark.parametrize("tag", ["ps", "a*b", "größe"])
def test_all_keys_share_a_slot(tag: str) -> None:
    """With a hash tag, whatever the names are."""
    keys = SchedulerKeys.of(KeyNames(prefix="p:", waiting="w", hash_tag=tag))
    told = [getattr(keys, name) for name in keys.__slots__]
    assert len({key_slot(key.encode()) for key in told}) == 1
