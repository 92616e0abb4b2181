"""Fixtures: a spec, and health servers that stop with their test."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from health_servers import HealthEndpoints
from patience import PATIENCE

from penstock_spec.kinds.pipeline import Pipeline


@pytest.fixture
def spec() -> Pipeline:
    """A spec with a failure class."""
    data = {
        "kind": "pipeline",
        "name": "media-cluster",
        "owner": {"team": "media"},
        "handler": "media.clustering:cluster",
        "image": "registry.example/media:1.4.2",
        "retries": {"classes": {"never": {"match": ["ValueError"], "attempts": 1}}},
    }
    return Pipeline.model_validate(data)


@pytest.fixture
def serve() -> Iterator[Callable[..., HealthEndpoints]]:
    """Starts health servers, and stops all of them after the test."""
    running: list[HealthEndpoints] = []

    def start(limit: float = 5.0) -> HealthEndpoints:
        running.append(HealthEndpoints(limit))
        return running[-1]

    yield start
    for one in running:
        one.server.stop()


@pytest.fixture
def served(serve: Callable[..., HealthEndpoints]) -> HealthEndpoints:
    return serve()


@pytest.fixture
def eventually() -> Callable[[Callable[[], object], str], None]:
    """Waits until a condition holds."""

    def wait(condition: Callable[[], object], description: str) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, f"not within {PATIENCE:g} s: {description}"
            time.sleep(0.01)

    return wait
