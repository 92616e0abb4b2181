"""acquire: no more jobs that share the value of a label run at a time than its limit, and no place is ever lost."""

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from job_steps import KEYS, JobDriver
from targets import Target

from penstock.scheduler.job_steps import AcquiredJob, StepTerms
from penstock.scheduler.limits import groups, labels_word

LIMITS = {"account": 2, "region of": 3}


@pytest.fixture
def driver(target: Target) -> Iterator[JobDriver]:
    with JobDriver(target.link(KEYS.waiting), StepTerms(limits=LIMITS)) as driver:
        driver.begin("pod~1")
        driver.begin("pod~2")
        yield driver


def names(jobs: list[AcquiredJob]) -> list[str]:
    return [one.name for one in jobs]


def test_a_full_limit_holds_back_only_its_jobs(driver: JobDriver) -> None:
    """In both pods; jobs of other accounts, and without the label, run."""
    driver.register("a1", "a2", "a3", labels={"account": "a"})
    driver.register("b1", labels={"account": "b"})
    driver.register("free")
    result = driver.acquire_result("pod~1")
    assert (names(list(result.jobs)), result.limited) == (["a1", "a2", "b1", "free"], 1)
    assert driver.acquire_result("pod~2").limited == 1
    assert driver.state().places("a3") == ["waiting"]


def test_a_job_needs_a_place_of_each_of_its_labels(driver: JobDriver) -> None:
    driver.register("a1", "a2", labels={"account": "a", "region of": "eu, west=1"})
    driver.register("b1", "b2", labels={"account": "b", "region of": "eu, west=1"})
    assert names(driver.acquire("pod~1")) == ["a1", "a2", "b1"]
    driver.register("c1", labels={"account": "c", "region of": "us"})
    assert names(driver.acquire("pod~1")) == ["c1"]


def test_a_settled_job_frees_its_place(driver: JobDriver) -> None:
    driver.register("a1", "a2", "a3", "a4", labels={"account": "a"})
    one, two = driver.acquire("pod~1")
    assert driver.acquire("pod~2") == []
    driver.complete(one, due=driver.second() + 60)
    (three,) = driver.acquire("pod~2")
    assert driver.acquire("pod~1") == []
    driver.release(two, due=driver.second() + 60)
    assert names([three, *driver.acquire("pod~1")]) == ["a3", "a4"]


def test_a_job_of_a_lost_pod_frees_its_place(driver: JobDriver) -> None:
    """Also if the same job runs again: it holds one place."""
    driver.register("a1", "a2", labels={"account": "a"})
    lost = [driver.overrun(one, 1) for one in driver.acquire("pod~1")]
    driver.lose("pod~1")
    assert driver.clean().returned == 2
    again = driver.acquire("pod~2")
    assert names(again) == ["a1", "a2"]
    driver.register("a3", labels={"account": "a"})
    driver.complete(*lost)
    assert driver.acquire("pod~2") == [], "the runs of the lost pod hold no place, and give none back"
    driver.complete(*again, due=driver.second() + 60)
    assert names(driver.acquire("pod~2")) == ["a3"]


def test_an_unregistered_job_holds_its_place_until_its_run_ends(driver: JobDriver) -> None:
    driver.register("a1", "a2", "a3", labels={"account": "a"})
    one, two = driver.acquire("pod~1")
    driver.unregister("a1")
    assert driver.acquire("pod~2") == []
    driver.complete(one)
    assert names(driver.acquire("pod~2")) == ["a3"]
    driver.complete(two)


def test_a_job_that_changed_its_label_counts_for_the_label_of_its_run(driver: JobDriver) -> None:
    """The next run counts for the new one."""
    driver.register("x", "a1", labels={"account": "a"})
    a1, x = driver.acquire("pod~1")
    driver.register("x", labels={"account": "b"})
    driver.register("a2", labels={"account": "a"})
    assert driver.acquire("pod~1") == []
    driver.complete(x, due=driver.second())
    assert names(driver.acquire("pod~1")) == ["a2", "x"]
    driver.register("b1", "b2", labels={"account": "b"})
    assert names(driver.acquire("pod~1")) == ["b1"]
    driver.complete(a1)


def test_a_limit_that_is_lowered_holds_back_until_runs_end(driver: JobDriver) -> None:
    driver.register("a1", "a2", "a3", labels={"account": "a"})
    one, _ = driver.acquire("pod~1")
    stricter = driver.with_terms(StepTerms(limits={"account": 1}))
    driver.complete(one, due=driver.second() + 60)
    assert stricter.acquire("pod~2") == []


def test_jobs_that_wait_for_a_limit_hide_no_other_job(driver: JobDriver) -> None:
    """The next call inspects the jobs behind them."""
    now = driver.second()
    driver.register(*(f"a{n:02}" for n in range(30)), due=now - 9, labels={"account": "a"})
    driver.register("other", due=now)
    found, calls, further = [], 0, 0
    while calls < 9:
        result = driver.acquire_result("pod~1", look=10, further=further)
        found += names(list(result.jobs))
        calls, further = calls + 1, result.further
        if not further and calls > 1:
            break
    assert found == ["a00", "a01", "other"]


def test_large_limits_starve_no_job(driver: JobDriver) -> None:
    """A call reads the entry of one large account, each in its turn; jobs without a limit do not wait for that."""
    driver = driver.with_terms(StepTerms(limits={"account": 600, "region": 700}))
    now = driver.second()
    accounts = "abcdef"
    for account in accounts:
        labels = {"account": account, "region": account}
        driver.register(*(f"{account}-runs-{n}" for n in range(599)), labels=labels)
    while driver.acquire_result("pod~1", 250).jobs:
        pass
    assert len(driver.state().working) == 599 * len(accounts)
    for place, account in enumerate(accounts):
        labels = {"account": account, "region": account}
        driver.register(f"{account}-1", f"{account}-2", due=now - 9 + place, labels=labels)
    driver.register("free", due=now)
    first = driver.acquire_result("pod~2", 250)
    assert len(first.jobs) == 2, "one of one account, and the job without"
    assert "free" in names(list(first.jobs))
    assert first.limited == 2 * len(accounts) - 1
    found = names(list(first.jobs))
    for _ in range(500):
        found += names(driver.acquire("pod~2", 250))
    assert sorted(found) == [*(f"{account}-1" for account in accounts), "free"]


def test_a_large_limit_with_room_is_used_up(driver: JobDriver) -> None:
    """Each call that has read it acquires a part of the jobs."""
    driver = driver.with_terms(StepTerms(limits={"account": 900}))
    driver.register(*(f"a{n}" for n in range(1000)), labels={"account": "a"})
    further, runs = 0, 0
    for _ in range(40):
        result = driver.acquire_result("pod~1", 250, further=further)
        further, runs = result.further, runs + len(result.jobs)
    assert runs == len(driver.state().working) == 900


def test_a_registration_without_limited_labels_is_as_before(driver: JobDriver) -> None:
    """So pods of an older version read it."""
    assert labels_word({"cloud": "aws"}, LIMITS) == ""
    driver.register("free", labels={"cloud": "aws"})
    driver.register("a1", labels={"account": "ä b", "cloud": "aws"})
    free, limited = (driver.ask("HGET", KEYS.jobs, name).decode() for name in ("free", "a1"))
    assert len(free.split()) == 5
    assert list(groups(free)) == []
    assert [(label, value) for _, label, value in groups(limited)] == [("account", "ä b")]


def test_entries_that_no_run_holds_are_pruned(driver: JobDriver) -> None:
    """Accounts come and go, and must not fill Redis. A run that goes on keeps its place."""
    driver.register("a1", "a2", "a3", labels={"account": "a"})
    driver.register("b1", labels={"account": "b"})
    one, two, other = driver.acquire("pod~1")
    driver.complete(one, due=driver.second() + 60)
    driver.complete(other, due=driver.second() + 60)
    entries = [b"account=a", b"account=b", b"account=none"]
    assert driver.wait(driver.steps.prune(entries)) == 1
    assert driver.ask("HKEYS", KEYS.limits) == [b"account=a"]
    assert names(driver.acquire("pod~2")) == ["a3"]
    assert driver.acquire("pod~2") == []
    driver.complete(two)
    driver.ask("DEL", KEYS.working)
    assert driver.wait(driver.steps.prune(entries)) == 1
    assert driver.ask("EXISTS", KEYS.limits) == 0


class Fleet:
    """Two pods whose runs end in every way. It knows the runs that its pods still have, and those that are over."""

    def __init__(self, driver: JobDriver, rng: random.Random) -> None:
        self.driver, self.rng = driver, rng
        self.account = {f"{name}{n}": name for name in "abc" for n in range(5)}
        self.runs: list[AcquiredJob] = []
        self.over: list[AcquiredJob] = []

    @property
    def running(self) -> Counter[str]:
        """The runs of each account in the working set."""
        return Counter(self.account[name] for name in self.driver.state().working)

    def register(self, *jobs: str) -> None:
        for job in jobs:
            self.driver.register(job, labels={"account": self.account[job]})

    def any_job(self) -> str:
        return self.rng.choice(list(self.account))

    def any_pod(self) -> str:
        return self.rng.choice(["pod~1", "pod~2"])

    def acquire(self) -> None:
        self.runs += self.driver.acquire(self.any_pod(), self.rng.randint(1, 6))

    def end(self) -> None:
        if self.runs:
            one = self.runs.pop(self.rng.randrange(len(self.runs)))
            _ = self.driver.release(one) if self.rng.random() < 0.3 else self.driver.complete(one, due=one.due)
            self.over.append(one)

    def repeat(self) -> None:
        if self.over:
            self.driver.complete(self.rng.choice(self.over))

    def lose_pod(self) -> None:
        """Its runs are due again; it comes back with another lease, and may still end them."""
        pod = self.any_pod()
        owners = self.driver.state().owners
        lost = [one for one in self.runs if owners.get(one.name) == pod]
        self.runs = [one for one in self.runs if one not in lost]
        self.over += [self.driver.overrun(one, 1) for one in lost] + lost
        self.driver.lose(pod)
        self.driver.clean()
        self.driver.end(pod)
        self.driver.begin(pod)

    def change(self) -> None:
        match self.rng.randrange(4):
            case 0:
                self.driver.unregister(self.any_job())
            case 1:
                self.register(self.any_job())
            case 2:
                self.driver.change("pause", self.any_job())
            case _:
                self.driver.change("resume", self.any_job())


@pytest.mark.parametrize("seed", range(8))
def test_no_order_of_steps_breaks_or_leaks_a_limit(driver: JobDriver, seed: int) -> None:
    """Runs end in every way, twice and late; pods are lost; jobs come and go. No place is lost."""
    fleet = Fleet(driver, random.Random(seed))  # noqa: S311 - for a test
    fleet.register(*fleet.account)
    steps = [fleet.acquire, fleet.acquire, fleet.end, fleet.end, fleet.repeat, fleet.lose_pod, fleet.change]
    for _ in range(150):
        fleet.rng.choice(steps)()
        assert max(fleet.running.values(), default=0) <= LIMITS["account"], f"seed {seed}"
    driver.change("resume", *fleet.account)
    fleet.register(*fleet.account)
    driver.acquire("pod~1")
    assert fleet.running == dict.fromkeys("abc", LIMITS["account"]), f"seed {seed}: a place was lost"


def test_many_limited_jobs_block_redis_no_longer(driver: JobDriver) -> None:
    """The largest call, with 250 accounts at their limit and 250 more jobs of each call that wait."""
    for page in range(6):
        driver.register(*(f"j{page}-{n}" for n in range(250)), labels={"account": str(page)})
    for n in range(250):
        driver.register(f"one-{n}", labels={"account": f"x{n}"})
    while driver.acquire("pod~1"):
        pass
    driver.ask("CONFIG", "RESETSTAT")
    for further in (0, 500, 1000):
        driver.acquire_result("pod~2", 250, further=further)
    stats = driver.ask("INFO", "commandstats").decode()
    (line,) = [one for one in stats.splitlines() if one.startswith("cmdstat_evalsha:")]
    calls, micro = (int(line.partition(f"{word}=")[2].partition(",")[0]) for word in ("calls", "usec"))
    assert micro / calls < 50_000, "ten times the bound, as the machine may be busy"
