"""Schedulers for tests."""

from collections.abc import Callable
from typing import Any

import pytest

from penstock_spec.kinds.scheduler.derive import derive
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.layers import has_value, set_value

REQUIRED = {
    "kind": "scheduler",
    "name": "example",
    "owner": {"team": "caching"},
    "image": "registry.example/caching:1.0.0",
    "handler": "caching.jobs:run",
}


@pytest.fixture
def scheduler() -> Callable[..., Scheduler]:
    """Creates a scheduler with these jobs and top-level fields."""

    def create(*jobs: dict[str, Any], **fields: Any) -> Scheduler:  # noqa: ANN401 - any value of a spec
        data: dict[str, Any] = {**REQUIRED, "jobs": list(jobs), **fields}
        for path, value in derive(data).items():
            if not has_value(data, steps := tuple(path.split("."))):
                set_value(data, steps, value)
        return Scheduler.model_validate(data)

    return create
