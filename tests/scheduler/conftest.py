"""What a scheduler's spec says, and what follows from it."""

from collections.abc import Callable
from typing import Any

import pytest

from penstock_spec.kinds.scheduler.derive import derive
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.layers import present, put

LEAST = {
    "kind": "scheduler",
    "name": "example",
    "owner": {"team": "caching"},
    "image": "registry.example/caching:1.0.0",
    "handler": "caching.jobs:run",
}


@pytest.fixture
def scheduler() -> Callable[..., Scheduler]:
    """One with these jobs, and what else is said at the top."""

    def made(*jobs: dict[str, Any], **said: Any) -> Scheduler:  # noqa: ANN401 - whatever a spec can say
        data: dict[str, Any] = {**LEAST, "jobs": list(jobs), **said}
        for path, value in derive(data).items():
            if not present(data, steps := tuple(path.split("."))):
                put(data, steps, value)
        return Scheduler.model_validate(data)

    return made
