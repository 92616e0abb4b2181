"""Servers that end with their test, and a spec."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from health_servers import HealthEndpoints
from patience import PATIENCE

from penstock_spec.kinds.pipeline import Pipeline


@pytest.fixture
def spec() -> Pipeline:
    """With a class of failures."""
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
    """Starts one; all of them are stopped at the end."""
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
    """Waits until something is so."""

    def wait(so: Callable[[], object], says: str) -> None:
        end = time.monotonic() + PATIENCE
        while not so():
            assert time.monotonic() < end, f"not within {PATIENCE:g} s: {says}"
            time.sleep(0.01)

    return wait
