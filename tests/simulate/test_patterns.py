"""Traffic patterns."""

import time
from random import Random

import pytest

from penstock_scaling.traffic.patterns import DAY, FLOOD, NIGHT, Pattern, PatternShape
from penstock_scaling.traffic.poisson import poisson


def random_of(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - repeatable randomness


SHAPES: tuple[PatternShape, ...] = ("steady", "poisson", "day", "burst", "outage")
SHARE = {"steady": 1.0, "poisson": 1.0, "day": (1 + NIGHT) / 2, "burst": 1 / 2, "outage": 1.0}
"""The total of a pattern, as a share of a steady rate."""


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rate", [0.3, 7, 250])
def test_a_pattern_has_the_total_of_its_rate(shape: PatternShape, rate: float) -> None:
    """Within random variation."""
    lasts = 7200
    arrived = sum(Pattern(shape, rate, lasts).arrivals(random_of(1)))
    expected = rate * lasts * SHARE[shape]
    assert arrived == pytest.approx(expected, abs=5 * expected**0.5)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_pattern_lasts_as_long_as_stated(shape: PatternShape) -> None:
    """One number per second, none negative."""
    counts = list(Pattern(shape, 3, 601).arrivals(random_of(1)))
    assert len(counts) == 601
    assert min(counts) >= 0


@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_random_seed_gives_the_same_traffic(shape: PatternShape) -> None:
    pattern = Pattern(shape, 5, 3600)
    assert list(pattern.arrivals(random_of(4))) == list(pattern.arrivals(random_of(4)))


@pytest.mark.parametrize("shape", [one for one in SHAPES if one != "steady"])
def test_another_random_seed_gives_other_traffic(shape: PatternShape) -> None:
    pattern = Pattern(shape, 5, 3600)
    assert list(pattern.arrivals(random_of(4))) != list(pattern.arrivals(random_of(5)))


def test_steady_traffic_loses_no_message_to_rounding() -> None:
    """A tenth of a message per second is one message every ten seconds, to the second."""
    counts = list(Pattern("steady", 0.1, 100).arrivals(random_of(1)))
    assert [second for second, count in enumerate(counts, 1) if count] == list(range(10, 101, 10))


def test_a_day_is_quiet_at_midnight_and_busy_at_noon() -> None:
    """Also on the second day, and when the curve is compressed into an hour."""
    for lasts, noon in ((2 * DAY, DAY + DAY // 2), (3600, 1800)):
        counts = list(Pattern("day", 100, lasts).arrivals(random_of(1)))
        around = counts[noon - 300 : noon + 300]
        assert sum(around) / len(around) == pytest.approx(100, rel=0.1)
        assert sum(counts[:60]) / 60 == pytest.approx(100 * NIGHT, rel=0.2)


def test_a_burst_starts_at_its_peak() -> None:
    counts = list(Pattern("burst", 1000, 100).arrivals(random_of(1)))
    assert counts[0] == pytest.approx(995, abs=100)
    assert counts[-1] < 30


def test_all_messages_arrive_after_an_outage() -> None:
    """None arrive in the middle third, and none are missing at the end."""
    lasts = 2700
    counts = list(Pattern("outage", 20, lasts).arrivals(random_of(1)))
    assert sum(counts[lasts // 3 : lasts * 2 // 3]) == 0
    flood = counts[lasts * 2 // 3 : lasts * 2 // 3 + lasts // 3 // (FLOOD - 1)]
    assert sum(flood) / len(flood) == pytest.approx(20 * FLOOD, rel=0.05)


@pytest.mark.parametrize("mean", [0.01, 1, 12, 29.9, 30, 5000])
def test_poisson_arrivals_have_the_right_mean_and_variance(mean: float) -> None:
    """Both equal the mean, with either of the two algorithms."""
    random = random_of(7)
    drawn = [poisson(mean, random) for _ in range(20_000)]
    average = sum(drawn) / len(drawn)
    assert average == pytest.approx(mean, rel=0.08)
    assert sum((one - average) ** 2 for one in drawn) / len(drawn) == pytest.approx(mean, rel=0.1)


def test_a_day_of_traffic_is_generated_quickly() -> None:
    """The time is printed but not checked: the machine may be busy."""
    started_at = time.process_time()
    arrived = sum(Pattern("day", 20, DAY).arrivals(random_of(1)))
    print(f"{arrived} messages in {time.process_time() - started_at:.2f} s")  # noqa: T201 - shown with -s
    assert arrived > 0
