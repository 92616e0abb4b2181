"""How long messages take."""

from random import Random

import pytest

from penstock_scaling.traffic.handling import Handling, Same, Sample, Spread


def drawn(handling: Handling) -> list[float]:
    """Many, from the shortest."""
    random = Random(3)  # noqa: S311 - no secret
    return sorted(handling.draw(random) for _ in range(20_000))


def test_all_take_as_long() -> None:
    assert set(drawn(Same(2.5))) == {2.5}


@pytest.mark.parametrize(("median", "p95"), [(2, 8), (0.05, 0.06), (600, 1500)])
def test_a_spread_has_the_middle_and_the_slow_end_that_it_says(median: float, p95: float) -> None:
    times = drawn(Spread(median, p95))
    assert times[len(times) // 2] == pytest.approx(median, rel=0.05)
    assert times[len(times) * 95 // 100] == pytest.approx(p95, rel=0.05)
    assert times[0] > 0


def test_a_sample_is_drawn_from_evenly() -> None:
    times = drawn(Sample((1.0, 2.0, 6.0)))
    assert {time: round(times.count(time) / len(times), 1) for time in (1.0, 2.0, 6.0)} == {1: 0.3, 2: 0.3, 6: 0.3}


@pytest.mark.parametrize("handling", [Same(2), Spread(2, 8), Sample((1.0, 2.0, 6.0))])
def test_the_mean_is_that_of_what_is_drawn(handling: Handling) -> None:
    times = drawn(handling)
    assert sum(times) / len(times) == pytest.approx(handling.mean, rel=0.05)
