"""Recent handling times are calculated as in Prometheus."""

from __future__ import annotations

import math

import pytest

from penstock_dev.running.latency import Latency, buckets, quantile

PAGE = """\
# HELP penstock_handling_seconds Duration of attempts.
penstock_handling_seconds_bucket{le="0.1",outcome="done",pipeline="trial"} %d.0
penstock_handling_seconds_bucket{le="0.5",outcome="done",pipeline="trial"} %d.0
penstock_handling_seconds_bucket{le="+Inf",outcome="done",pipeline="trial"} %d.0
penstock_handling_seconds_bucket{le="+Inf",outcome="failed",pipeline="trial"} 1.0
"""


def test_buckets_are_summed_over_outcomes() -> None:
    assert buckets(PAGE % (1, 2, 3)) == {0.1: 1, 0.5: 2, math.inf: 4}


@pytest.mark.parametrize(("share", "seconds"), [(0.5, 0.1), (0.75, 0.3), (0.25, 0.05), (1, 0.5)])
def test_a_quantile_is_interpolated_within_its_bucket(share: float, seconds: float) -> None:
    assert quantile(share, {0.1: 2, 0.5: 4, math.inf: 4}) == pytest.approx(seconds)


def test_a_quantile_beyond_the_last_bound_is_that_bound() -> None:
    assert quantile(0.9, {0.1: 0, 0.5: 1, math.inf: 10}) == 0.5
    assert quantile(0.5, {}) is None


def test_only_recent_samples_count() -> None:
    """Also of processes that start and stop; a process that did not respond continues from its last sample."""
    latency = Latency()
    latency.add({1: PAGE % (0, 0, 0)})
    for count in range(1, 12):
        latency.add({1: PAGE % (0, 100 * count, 100 * count)})
    latency.add({2: PAGE % (5000, 5000, 5000)})
    assert latency.quantile(0.5) == pytest.approx(0.1, abs=0.05)
    assert Latency().quantile(0.5) is None
