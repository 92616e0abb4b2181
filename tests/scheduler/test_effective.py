"""A job combines its own fields with the defaults of `each`, in rules and in the runtime."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from penstock_spec.kinds.scheduler.effective import effective_jobs, runs, shard_of, threshold
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.values.quantities import Duration

Made = Callable[..., Scheduler]


def test_a_job_inherits_missing_fields_from_each(scheduler: Made) -> None:
    """Fields are inherited one by one. A priority of 0 and a shard of 0 are not missing."""
    spec = scheduler(
        {"name": "plain"},
        {"name": "own", "every": "5m", "timeout": "4m", "priority": 0, "shard": 0, "handler": "caching.jobs:own"},
        each={"every": "30s", "timeout": "25s", "error_interval": "1m", "priority": 900},
        shards={"count": 4},
    )
    plain, own = effective_jobs(spec)
    assert (plain.every, plain.timeout, plain.priority) == (Duration("30s"), Duration("25s"), 900)
    assert (plain.error_interval, plain.handler) == (Duration("1m"), "caching.jobs:run")
    assert (own.every, own.timeout, own.priority, own.shard) == (Duration("5m"), Duration("4m"), 0, 0)
    assert own.handler == "caching.jobs:own"


def test_a_job_with_every_or_cron_inherits_neither(scheduler: Made) -> None:
    """It has one of them."""
    clock, often = effective_jobs(
        scheduler(
            {"name": "clock", "cron": "0 3 * * *"},
            {"name": "often", "every": "1m"},
            each={"every": "30s", "time_zone": "Europe/Berlin"},
        )
    )
    assert (clock.every, clock.cron, clock.time_zone) == (None, "0 3 * * *", "Europe/Berlin")
    assert (often.every, often.cron) == (Duration("1m"), None)


def test_the_timeout_defaults_to_the_interval(scheduler: Made) -> None:
    """It is five minutes for a cron job."""
    often, clock = effective_jobs(scheduler({"name": "often", "every": "10s"}, {"name": "clock", "cron": "0 3 * * *"}))
    assert (often.timeout, clock.timeout) == (Duration("10s"), Duration("5m"))


def test_a_job_that_sends_has_no_handler(scheduler: Made) -> None:
    """It does not inherit the scheduler's handler."""
    [job] = effective_jobs(
        scheduler({"name": "nightly", "every": "1h", "send": {"pipeline": "jobs", "message": {"id": "a"}}})
    )
    assert job.handler is None
    assert job.send is not None
    assert (job.send.pipeline, job.send.message) == ("jobs", {"id": "a"})


def test_jobs_from_a_function_are_not_listed(scheduler: Made) -> None:
    """Checking a spec does not import a team's code."""
    spec = scheduler().model_copy(update={"jobs": "caching.jobs:every"})
    assert effective_jobs(spec) == ()


@pytest.mark.parametrize(
    ("enabled", "disabled", "name", "expected"),
    [
        (".*", "", "aws/images", True),
        ("aws", "", "aws/images", False),
        ("aws/.*", "", "aws/images", True),
        ("aws/.*", "aws/.*", "aws/images", False),
        (".*", "images", "aws/images", True),
        ("", "", "aws/images", False),
    ],
)
def test_a_pattern_matches_whole_names_and_disabled_overrides_enabled(
    enabled: str,
    disabled: str,
    name: str,
    expected: bool,  # noqa: FBT001 - a value of the table
    scheduler: Made,
) -> None:
    """An empty pattern matches no name."""
    assert runs(scheduler(patterns={"enabled": enabled, "disabled": disabled}), name) == expected


def test_exceptional_jobs_have_their_own_threshold(scheduler: Made) -> None:
    """The pattern must match the whole name."""
    spec = scheduler(cleanup={"zombies": {"threshold": "30s", "exceptional": {"pattern": "report/.*"}}})
    assert threshold(spec, "report/costs") == Duration("60m")
    assert threshold(spec, "a/report/costs") == Duration("30s")


def test_a_name_is_always_in_the_same_shard() -> None:
    """It is the same in every process and version, so that exactly one pod takes a job during a rollout."""
    assert [shard_of(name, 4) for name in ("aws/eu-west-1/images", "gcp/images", "ä")] == [0, 2, 3]
    counts = Counter(shard_of(f"job-{number}", 4) for number in range(10_000))
    assert set(counts) == {0, 1, 2, 3}
    assert min(counts.values()) > 2000
