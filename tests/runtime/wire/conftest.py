"""Fixtures: a cluster and sentinels, even if the run uses another topology."""

from collections.abc import Iterator

import pytest
import targets
from targets import ClusterTarget, SentinelTarget


@pytest.fixture(scope="module")
def cluster() -> Iterator[ClusterTarget]:
    with targets.start("cluster") as target:
        assert isinstance(target, ClusterTarget)
        yield target


@pytest.fixture(scope="module")
def sentinels() -> Iterator[SentinelTarget]:
    with targets.start("sentinel") as target:
        assert isinstance(target, SentinelTarget)
        yield target
