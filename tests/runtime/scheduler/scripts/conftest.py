"""The scripts of a scheduler, over a Redis in each shape."""

from collections.abc import Iterator

import pytest
from job_steps import KEYS, JobDriver
from targets import Target


@pytest.fixture
def driver(target: Target) -> Iterator[JobDriver]:
    """On an empty Redis."""
    with JobDriver(target.link(KEYS.waiting)) as driver:
        driver.begin("pod~1")
        driver.begin("pod~2")
        yield driver
