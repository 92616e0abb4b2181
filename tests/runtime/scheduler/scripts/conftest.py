"""The scripts of a scheduler, on a Redis of each topology."""

from collections.abc import Iterator

import pytest
from job_steps import KEYS, JobDriver
from targets import Target


@pytest.fixture
def driver(target: Target) -> Iterator[JobDriver]:
    with JobDriver(target.link(KEYS.waiting)) as driver:
        driver.begin("pod~1")
        driver.begin("pod~2")
        yield driver
