"""Cron jobs run at the right moments around every clock change, in every time zone: held against a walk by minutes.

The ordinary run takes some changes of zones whose changes are rare, and of others that are drawn with a fixed seed.
`PENSTOCK_EVERY_ZONE=1` takes every change of every zone from 2011 to 2031, which takes about half an hour.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from itertools import takewhile
from random import Random
from zoneinfo import available_timezones

import pytest
from cron_reference import MINUTE, changes, clock_from, walk
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock_spec.kinds.scheduler.cron import latest, next_after, times_after

EVERYTHING = bool(os.environ.get("PENSTOCK_EVERY_ZONE"))
HOUR = 3600
YEARS = (int(datetime(2011, 1, 1, tzinfo=UTC).timestamp()), int(datetime(2032, 1, 1, tzinfo=UTC).timestamp()))
BEFORE, AFTER = 30 * HOUR, 30 * HOUR
"""Seconds that are walked on either side of a change: more than a day, so that daily runs come on both sides."""

EXPRESSIONS = (
    "*/5 * * * *", "0 * * * *", "30 * * * *", "*/20 2 * * *", "0 */6 * * *", "15 */1 * * *",
    "0 0 * * *", "30 0 * * *", "59 23 * * *", "15 2 * * *", "30 2 * * *", "0,30 0-3 * * *", "45 1,2,23 * * *",
    "0 */2 * * *", "0 */6 * * SUN", "*/30 1 * * SUN", "*/10 0 * * FRI", "*/15 1-2 * * *", "5-5/10 3 * * *",
    "0 0 * * SUN", "0 0 * * FRI,SAT", "0 0 1 * *", "0 0 L * *", "5 0 8-14 * SUN", "10 0 * * SUN#1", "0 0-23/2 * * *",
)  # fmt: skip
RARE = (
    "America/Santiago", "Africa/Cairo", "Asia/Beirut", "America/Havana", "Australia/Lord_Howe", "America/Asuncion",
    "Pacific/Apia", "Asia/Gaza", "Africa/Casablanca", "America/Sao_Paulo", "Asia/Tehran", "Antarctica/Troll",
    "America/Caracas", "Asia/Pyongyang", "Europe/Dublin", "America/Scoresbysund", "Pacific/Easter", "Asia/Amman",
)  # fmt: skip
ZONES = sorted(
    zone for zone in available_timezones() if not zone.startswith(("posix", "right")) and zone != "localtime"
)


def assert_walked(zone: str, change: int, expressions: tuple[str, ...], rng: Random) -> None:
    """The due times around a change are those of the walk, from wherever the search starts."""
    clock = clock_from(zone, change - BEFORE, (BEFORE + AFTER) // MINUTE)
    start, end = clock[0][0], clock[-1][0]
    for expression in expressions:
        expected = list(walk(expression, clock))
        place = f"{expression} in {zone} around {datetime.fromtimestamp(change, UTC):%Y-%m-%d %H:%MZ}"
        found = list(takewhile(lambda due: due <= end, times_after(expression, zone, start)))
        assert found == expected, place
        near = change + rng.randrange(-3 * HOUR, 3 * HOUR)
        for at in (change - 1, change, near, rng.randrange(start, end)):
            following = [due for due in expected if due > at]
            if following:
                assert next_after(expression, zone, at) == following[0], f"{place}, after {at}"
            assert latest(expression, zone, at, end, 1000) == tuple(following[-1000:]), f"{place}, missed after {at}"


@pytest.mark.parametrize("zone", RARE)
def test_the_walk_and_the_search_agree_at_rare_changes(zone: str) -> None:
    """Midnight gaps, half hours, a skipped day, changes for Ramadan, changes of the standard time."""
    rng = Random(zone)  # noqa: S311 - the same draw in every run
    everything = changes(zone, *YEARS)
    for change in everything if EVERYTHING else rng.sample(everything, min(3, len(everything))):
        assert_walked(zone, change, EXPRESSIONS, rng)


def test_the_walk_and_the_search_agree_in_every_zone() -> None:
    """Zones whose clocks show the same are walked once."""
    walked: set[tuple[tuple[int, datetime], ...]] = set()
    rng = Random(2026)  # noqa: S311 - the same draw in every run
    for zone in ZONES if EVERYTHING else rng.sample(ZONES, 40):
        everything = changes(zone, *YEARS)
        for change in everything if EVERYTHING else rng.sample(everything, min(1, len(everything))):
            around = tuple(clock_from(zone, change - MINUTE, 1))
            if around in walked:
                continue
            walked.add(around)
            assert_walked(zone, change, EXPRESSIONS if EVERYTHING else tuple(rng.sample(EXPRESSIONS, 5)), rng)


def numbers(low: int, high: int) -> st.SearchStrategy[str]:
    """A field of an expression: `*`, a number, a range, a list, with or without a step."""
    number = st.integers(low, high)
    span = st.tuples(number, number).map(lambda two: f"{min(two)}-{max(two)}")
    step = st.tuples(st.one_of(st.just("*"), span), st.integers(1, high)).map(lambda two: f"{two[0]}/{two[1]}")
    parts = st.lists(st.one_of(number.map(str), span), min_size=1, max_size=3).map(",".join)
    return st.one_of(st.just("*"), step, parts)


EXPRESSION = st.tuples(
    numbers(0, 59),
    st.one_of(numbers(0, 23), st.sampled_from(["0", "1", "2", "23", "0-3"])),
    st.one_of(st.just("*"), numbers(1, 31), st.sampled_from(["L", "LW", "1,L"])),
    st.one_of(st.just("*"), numbers(1, 12), st.sampled_from(["SEP", "MAR-APR"])),
    st.one_of(st.just("*"), numbers(0, 7), st.sampled_from(["SUN", "FRI-SAT", "0L", "SUN#1", "SUN#2", "5L"])),
).map(" ".join)


@settings(deadline=None, max_examples=2_000 if EVERYTHING else 60)
@given(EXPRESSION, st.sampled_from(RARE), st.randoms(use_true_random=False))
def test_random_expressions_are_right_around_changes(expression: str, zone: str, rng: Random) -> None:
    """Any expression that a spec accepts, at any change of a zone whose changes are rare."""
    assert_walked(zone, rng.choice(changes(zone, *YEARS)), (expression,), rng)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("0 0 * * SUN", ["08-30 00:00", "09-06 01:00", "09-13 00:00"]),
        ("*/30 1 * * SUN", ["08-30 01:00", "08-30 01:30", "09-06 01:00", "09-06 01:30", "09-13 01:00", "09-13 01:30"]),
        ("0 */12 * * SUN", ["08-30 00:00", "08-30 12:00", "09-06 12:00", "09-13 00:00", "09-13 12:00"]),
    ],
)
def test_a_midnight_gap_loses_no_week_and_adds_no_run(expression: str, expected: list[str]) -> None:
    """Santiago's clocks go from midnight to 1:00 on Sunday 6 September 2026. The walk and the search both say so."""
    start = int(datetime(2026, 8, 29, 12, tzinfo=UTC).timestamp())
    clock = clock_from("America/Santiago", start, 16 * 24 * 60)
    shown = dict(clock)
    times = takewhile(lambda due: due <= clock[-1][0], times_after(expression, "America/Santiago", start))
    assert [f"{shown[due]:%m-%d %H:%M}" for due in times] == expected
    assert [f"{shown[due]:%m-%d %H:%M}" for due in walk(expression, clock)] == expected
