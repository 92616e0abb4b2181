"""The next due time of a job is a pure function of Redis time."""

from datetime import UTC, datetime
from random import Random

import pytest
from in_process_scheduler import spec_of

from penstock.handling.exceptions import Retry
from penstock.handling.failures import Failure
from penstock.scheduler.due_times import (
    FailurePolicy,
    Overlap,
    RunPlan,
    after_run,
    first_due,
    interval,
    latest_due,
    plan_run,
)
from penstock_spec.kinds.scheduler.cron import latest
from penstock_spec.kinds.scheduler.effective import EffectiveJob, effective_jobs
from penstock_spec.kinds.scheduler.failures import STANDARD
from penstock_spec.kinds.scheduler.spec import Scheduler

NOON = int(datetime(2026, 3, 2, 12, tzinfo=UTC).timestamp())
HOUR = 3600


def chance(seed: int = 1) -> Random:
    return Random(seed)  # noqa: S311 - no secret


def spec(**options: object) -> Scheduler:
    job = options.pop("job", {"every": "30s"})
    assert isinstance(job, dict)
    return spec_of(jobs=[{"name": "job", "handler": "x:y", **job}], **options)


def job(**options: object) -> EffectiveJob:
    return effective_jobs(spec(job=options))[0]


def test_a_new_job_is_due_at_once_or_within_its_jitter() -> None:
    """In whole seconds, rounded up; a cron job is due at its next time."""
    assert first_due(job(every="30s"), NOON + 0.2, 0, chance()) == NOON + 1
    due_times = {first_due(job(every="30s"), NOON, 10, chance(n)) for n in range(50)}
    assert NOON + 1 <= min(due_times) < max(due_times) <= NOON + 10
    assert first_due(job(cron="30 * * * *"), NOON, 10, chance()) == NOON + 1800


def test_intervals_count_from_the_second_of_the_last_run() -> None:
    """So `1s` means every second; fractions are rounded up."""
    assert plan_run(job(every="1s"), NOON, NOON + 0.9) == RunPlan(runs=True, next=NOON + 1)
    assert plan_run(job(every="90s"), NOON, NOON + 7.1) == RunPlan(runs=True, next=NOON + 97)
    assert plan_run(job(every="1500ms"), NOON, NOON + 0.5) == RunPlan(runs=True, next=NOON + 2)


def test_cron_uses_the_time_zone_of_the_job() -> None:
    """The clock is Redis time."""
    assert plan_run(job(cron="30 2 * * *", time_zone="Asia/Tokyo"), NOON - 3 * HOUR, NOON).next == NOON + 5.5 * HOUR
    assert latest_due(job(cron="*/5 * * * *"), NOON + 1) == NOON + 300


def test_the_interval_of_a_cron_job_is_a_minute() -> None:
    """It should start within its minute: an interval of a week would make a backlog of two weeks look healthy."""
    assert [interval(job(**options)) for options in ({"cron": "0 3 * * 1"}, {"every": "30s"})] == [60, 30]


def test_an_expression_without_a_match_is_checked_again_next_year() -> None:
    """Such as February 30, which a rule reports in the spec."""
    assert plan_run(job(cron="0 0 30 2 *"), NOON, NOON).next >= NOON + 366 * 24 * HOUR - 60


@pytest.mark.parametrize(
    ("missed", "planned"),
    [
        ({"run": "once"}, RunPlan(runs=True, next=NOON + HOUR, made_up=1, skipped=3)),
        ({"run": "skip"}, RunPlan(runs=False, next=NOON, skipped=3)),
        ({"run": "all"}, RunPlan(runs=True, next=NOON - 2 * HOUR, made_up=1)),
        ({"run": "all", "at_most": 2}, RunPlan(runs=True, next=NOON, made_up=1, skipped=2)),
        ({"run": "all", "at_most": 1}, RunPlan(runs=True, next=NOON + HOUR, made_up=1, skipped=3)),
    ],
)
def test_missed_runs_follow_the_spec(missed: dict[str, object], planned: RunPlan) -> None:
    """An hourly job, due at nine, is acquired after noon: three more runs were missed."""
    assert plan_run(job(cron="0 * * * *", missed=missed), NOON - 3 * HOUR, NOON + 5) == planned


def test_run_all_makes_up_for_every_missed_run() -> None:
    """Each for its own second; then the usual next run."""
    hourly = job(cron="0 * * * *", missed={"run": "all"})
    due, ran = NOON - 3 * HOUR, []
    while due <= NOON + 5:
        ran.append(due)
        due = plan_run(hourly, due, NOON + 5).next
    assert (ran, due) == ([NOON - 3 * HOUR, NOON - 2 * HOUR, NOON - HOUR, NOON], NOON + HOUR)


def test_only_runs_missed_for_more_than_a_minute_are_skipped() -> None:
    """A run due a moment ago is next; two minutes later it is skipped as well."""
    hourly = job(cron="0 * * * *", missed={"run": "skip"})
    assert plan_run(hourly, NOON - 3 * HOUR, NOON + 60) == RunPlan(runs=False, next=NOON, skipped=3)
    assert plan_run(hourly, NOON - 3 * HOUR, NOON + 120) == RunPlan(runs=False, next=NOON + HOUR, skipped=4)


@pytest.mark.parametrize(
    ("run", "planned"),
    [
        ("skip", RunPlan(runs=True, next=NOON + HOUR, skipped=1)),
        ("once", RunPlan(runs=True, next=NOON + HOUR, skipped=1)),
        ("all", RunPlan(runs=True, next=NOON)),
    ],
)
def test_a_started_run_is_not_missed(run: str, planned: RunPlan) -> None:
    """Its pod drained or was lost: it runs again, however late, and is not counted."""
    assert plan_run(job(cron="0 * * * *", missed={"run": run}), NOON - HOUR, NOON + 120, begun=True) == planned


def test_the_spec_limits_the_missed_runs_to_make_up_for() -> None:
    """Also with a high limit and many more missed runs."""
    minutely = job(cron="* * * * *", missed={"run": "all", "at_most": 700})
    planned = plan_run(minutely, NOON - 24 * HOUR, NOON + 5)
    assert planned.next == NOON - 698 * 60
    assert planned.skipped == 1, "of the missed runs that are counted"


def test_missed_runs_are_computed_once_for_an_expression(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a weekend, a thousand jobs of one expression are due at once."""
    calls: list[int] = []

    def counted(expression: str, zone: str, after: float, until: float, most: int) -> tuple[int, ...]:
        calls.append(most)
        return latest(expression, zone, after, until, most)

    monkeypatch.setattr("penstock.scheduler.due_times.latest", counted)
    often = job(cron="*/3 * * * *")
    plans = {plan_run(often, NOON - 60 * HOUR, NOON + 9 + part / 1000) for part in range(1000)}
    assert [one.next for one in plans] == [NOON + 180]
    assert calls == [100]


def test_a_job_less_than_a_minute_late_was_not_missed() -> None:
    """Cron has a precision of a minute."""
    assert plan_run(job(cron="0 * * * *", missed={"run": "skip"}), NOON, NOON + 30) == RunPlan(
        runs=True, next=NOON + HOUR
    )


def wait_after(scheduler: Scheduler, error: BaseException, streak: int, planned: int = NOON + 30, seed: int = 1) -> int:
    """Seconds from the end of a failed run, at noon, to the next run."""
    effective = effective_jobs(scheduler)[0]
    return FailurePolicy(scheduler).next(effective, planned, Failure.of(error), streak, NOON, chance(seed)) - NOON


def test_without_classes_every_failure_waits_the_error_interval() -> None:
    """The default; without an error interval, a failed run waits like any other."""
    no_jitter = {"failure": 0}
    usual = spec(job={"every": "30s", "error_interval": "2m"}, jitter=no_jitter)
    assert (wait_after(usual, PermissionError(), 1), wait_after(usual, OSError(), 9)) == (120, 120)
    assert wait_after(spec(jitter=no_jitter), OSError(), 1) == 30
    assert wait_after(spec(jitter=no_jitter), OSError(), 1, planned=NOON - 5) == 0, (
        "never before the end of the failed run"
    )


@pytest.mark.parametrize(
    ("error", "streak", "wait"),
    [
        (PermissionError(), 1, 1800), (PermissionError(), 5, 1800),
        (MemoryError(), 1, 30), (MemoryError(), 2, 60), (MemoryError(), 5, 480), (MemoryError(), 6, 600),
        (MemoryError(), 5000, 600),
        (ConnectionError(), 1, 0), (ConnectionError(), 2, 0), (ConnectionError(), 3, 120),
        (ValueError(), 1, 120), (Retry(after="7s"), 1, 7),
    ],
)  # fmt: skip
def test_each_failure_class_has_its_own_wait(error: BaseException, streak: int, wait: int) -> None:
    """Forbidden waits half an hour; throttled and out of memory wait longer each time; transient runs at once."""
    scheduler = spec_of(
        jobs=[{"name": "job", "handler": "x:y", "every": "30s", "error_interval": "2m"}],
        jitter={"failure": 0},
        failures={"by_class": True, "classes": {**STANDARD, "transient": {**STANDARD["transient"], "immediate": 2}}},
    )
    assert wait_after(scheduler, error, streak) == wait


def test_waits_are_jittered_by_a_tenth() -> None:
    """At random, in both directions, never into the past."""
    scheduler = spec(job={"every": "30s", "error_interval": "100s"}, jitter={"failure": 0.1})
    waits = {wait_after(scheduler, OSError(), 1, seed=seed) for seed in range(300)}
    assert (min(waits), max(waits)) == (91, 110)
    classes = {"now": {"match": ["OSError"], "immediate": 9}}
    at_once = spec(jitter={"failure": 1}, failures={"by_class": True, "classes": classes})
    assert {wait_after(at_once, OSError(), 1, seed=seed) for seed in range(20)} == {0}


def test_no_jitter_exceeds_the_limit_of_a_class() -> None:
    """Also when the run ended between two full seconds."""
    scheduler = spec(jitter={"failure": 0.1}, failures={"by_class": True, "classes": STANDARD})
    effective, policy, failed = effective_jobs(scheduler)[0], FailurePolicy(scheduler), Failure.of(MemoryError())
    waits = {
        policy.next(effective, NOON, failed, 9, NOON + part, chance(seed)) - NOON - part
        for seed in range(100)
        for part in (0, 0.4)
    }
    assert 540 <= min(waits) < max(waits) <= 600


@pytest.mark.parametrize(
    ("overlap", "ended", "next_", "runs"),
    [
        ("skip", 29, 30, 0), ("skip", 30, 60, 1), ("skip", 89.5, 90, 2), ("skip", 90, 120, 3),
        ("wait", 29, 30, 0), ("wait", 100, 30, 1), ("replace", 31, 30, 1),
    ],
)  # fmt: skip
def test_an_interval_that_a_run_outlasts(overlap: str, ended: float, next_: int, runs: int) -> None:
    """`skip` drops each due time until the end; with the others the job is due at once."""
    thirty = job(every="30s", overlap=overlap)
    assert after_run(thirty, NOON, NOON + 30, NOON + ended) == Overlap(NOON + next_, runs)


@pytest.mark.parametrize(
    ("overlap", "missed", "ended", "next_", "runs"),
    [
        ("skip", "once", 59, 60, 0), ("skip", "once", 61, 120, 1), ("skip", "once", 301, 360, 5),
        ("wait", "once", 61, 60, 1), ("wait", "skip", 301.5, 302, 1), ("wait", "all", 301, 60, 1),
    ],
)  # fmt: skip
def test_a_cron_time_that_a_run_outlasts(overlap: str, missed: str, ended: float, next_: int, runs: int) -> None:
    """A run that only waited for the previous one is not missed."""
    minutely = job(cron="* * * * *", overlap=overlap, missed={"run": missed})
    assert after_run(minutely, NOON + 1, NOON + 60, NOON + ended) == Overlap(NOON + next_, runs)


def test_a_missed_run_that_is_made_up_for_does_not_overlap() -> None:
    """It was planned for a time before the run began."""
    minutely = job(cron="* * * * *", overlap="skip", missed={"run": "all"})
    assert after_run(minutely, NOON, NOON - 60, NOON + 5) == Overlap(NOON - 60)
