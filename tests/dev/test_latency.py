"""How long handlers took lately is told as Prometheus would tell it."""

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


def test_outcomes_are_counted_together() -> None:
    assert buckets(PAGE % (1, 2, 3)) == {0.1: 1, 0.5: 2, math.inf: 4}


@pytest.mark.parametrize(("share", "seconds"), [(0.5, 0.1), (0.75, 0.3), (0.25, 0.05), (1, 0.5)])
def test_between_two_bounds_all_is_spread_evenly(share: float, seconds: float) -> None:
    assert quantile(share, {0.1: 2, 0.5: 4, math.inf: 4}) == pytest.approx(seconds)


def test_what_took_longer_than_any_bound_is_told_as_the_highest() -> None:
    assert quantile(0.9, {0.1: 0, 0.5: 1, math.inf: 10}) == 0.5
    assert quantile(0.5, {}) is None


def test_only_what_was_counted_between_looks_counts() -> None:
    """Also of processes that come and go; one that gave no page is looked at from where it was."""
    latency = Latency()
    latency.add({1: PAGE % (0, 0, 0)})
    for count in range(1, 12):
        latency.add({1: PAGE % (0, 100 * count, 100 * count)})
    latency.add({2: PAGE % (5000, 5000, 5000)})
    assert latency.quantile(0.5) == pytest.approx(0.1, abs=0.05)
    assert Latency().quantile(0.5) is None
