"""Cron jobs run at the expected times, also when daylight saving time starts or ends."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock_spec.kinds.scheduler.cron import latest, next_after, times_after

BERLIN = "Europe/Berlin"


def at(text: str) -> int:
    """A time such as `2026-03-29 03:00+02:00` in seconds since the epoch."""
    return int(datetime.fromisoformat(text).timestamp())


def next_times(expression: str, zone: str, after: str, many: int = 1) -> list[str]:
    """The next due times in UTC."""
    times = islice(times_after(expression, zone, at(after)), many)
    return [datetime.fromtimestamp(one, UTC).strftime("%Y-%m-%d %H:%M") for one in times]


@pytest.mark.parametrize(
    ("expression", "zone", "after", "expected"),
    [
        ("*/5 * * * *", "UTC", "2026-01-01 00:00Z", ["2026-01-01 00:05", "2026-01-01 00:10"]),
        ("30 2 * * *", BERLIN, "2026-01-01 00:00Z", ["2026-01-01 01:30", "2026-01-02 01:30"]),
        ("30 2 * * *", BERLIN, "2026-07-01 00:00Z", ["2026-07-01 00:30", "2026-07-02 00:30"]),
        ("30 2 * * *", "Asia/Kolkata", "2026-01-01 00:00Z", ["2026-01-01 21:00", "2026-01-02 21:00"]),
        ("0 0 29 2 *", "UTC", "2026-01-01 00:00Z", ["2028-02-29 00:00", "2032-02-29 00:00"]),
        ("0 9 * * MON-FRI", "UTC", "2026-01-02 10:00Z", ["2026-01-05 09:00", "2026-01-06 09:00"]),
        ("0 0 L * *", "UTC", "2026-02-01 00:00Z", ["2026-02-28 00:00", "2026-03-31 00:00"]),
        ("0 0 13 * 5", "UTC", "2026-01-01 00:00Z", ["2026-01-02 00:00", "2026-01-09 00:00"]),
    ],
)
def test_due_times_follow_the_time_zone(expression: str, zone: str, after: str, expected: list[str]) -> None:
    """In summer and winter. A match of the day of the month or the day of the week is enough."""
    assert next_times(expression, zone, after, 2) == expected


def test_a_run_in_the_skipped_hour_comes_right_after_it() -> None:
    """It runs once, and at its usual time the next day. On 29 March 2026 Berlin's clocks go from 2:00 to 3:00."""
    assert next_times("30 2 * * *", BERLIN, "2026-03-28 12:00Z", 2) == ["2026-03-29 01:00", "2026-03-30 00:30"]


def test_two_runs_in_the_skipped_hour_become_one() -> None:
    """Both would come right after the gap."""
    assert next_times("0,30 2 * * *", BERLIN, "2026-03-28 12:00Z", 2) == ["2026-03-29 01:00", "2026-03-30 00:00"]


@pytest.mark.parametrize("after", ["2026-10-24 12:00Z", "2026-10-25 00:29Z"])
def test_a_run_in_the_repeated_hour_comes_the_first_time(after: str) -> None:
    """On 25 October 2026 Berlin's clocks go from 3:00 back to 2:00, so 2:30 is at 0:30 and at 1:30 UTC."""
    assert next_times("30 2 * * *", BERLIN, after, 2) == ["2026-10-25 00:30", "2026-10-26 01:30"]


@pytest.mark.parametrize("after", ["2026-10-25 00:30Z", "2026-10-25 01:00Z", "2026-10-25 01:10Z", "2026-10-25 01:30Z"])
def test_a_run_in_the_repeated_hour_does_not_come_again(after: str) -> None:
    """No due time is before the requested time, which would run the job again and again."""
    assert next_times("30 2 * * *", BERLIN, after) == ["2026-10-26 01:30"]


def test_regular_runs_continue_through_clock_changes() -> None:
    """A run every half hour stays a run every half hour."""
    expected = ["2026-10-25 00:00", "2026-10-25 00:30", "2026-10-25 01:00", "2026-10-25 01:30", "2026-10-25 02:00"]
    assert next_times("*/30 * * * *", BERLIN, "2026-10-24 23:59Z", 5) == expected
    assert next_times("*/30 * * * *", BERLIN, "2026-03-29 00:30Z", 2) == ["2026-03-29 01:00", "2026-03-29 01:30"]


def test_a_clock_change_of_half_an_hour_works_too() -> None:
    """Lord Howe's clocks go from 2:00 to 2:30 on 4 October 2026."""
    assert next_times("15 2 * * *", "Australia/Lord_Howe", "2026-10-03 00:00Z", 2) == [
        "2026-10-03 15:30",
        "2026-10-04 15:15",
    ]


@pytest.mark.parametrize("expression", ["0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 31 4 *"])
def test_an_impossible_date_has_no_due_time(expression: str) -> None:
    """These months never have such a day."""
    assert next_after(expression, "UTC", 0) is None
    assert latest(expression, "UTC", 0, at("2026-01-01 00:00Z"), 5) == ()


@given(
    st.sampled_from(["*/7 * * * *", "30 2 * * *", "0 */3 * * *", "15 1,2,3 * * SUN", "0 0 1 * *", "*/20 2 * * *"]),
    st.sampled_from(["UTC", BERLIN, "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Sao_Paulo"]),
    st.integers(1_600_000_000, 1_900_000_000),
)
def test_due_times_increase_and_do_not_depend_on_the_start(expression: str, zone: str, after: int) -> None:
    """A new search from a due time finds the same next time."""
    times = list(islice(times_after(expression, zone, after), 5))
    assert all(one < two for one, two in zip([after, *times], times, strict=False))
    assert [next_after(expression, zone, one) for one in (after, *times[:-1])] == times


@pytest.mark.parametrize("most", [1, 3, 100])
def test_the_latest_missed_runs_are_returned(most: int) -> None:
    """In order, and at most as many as requested."""
    until = at("2026-01-10 00:00Z")
    every = list(range(at("2026-01-01 01:00Z"), until + 1, 3600))
    assert latest("0 * * * *", "UTC", at("2026-01-01 00:00Z"), until, most) == tuple(every[-most:])
    assert latest("0 * * * *", "UTC", until, until + 3599, most) == ()
    assert latest("0 * * * *", "UTC", until, until + 3600, most) == (until + 3600,)
