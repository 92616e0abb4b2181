"""A Redis of the chosen make and shape for every test of the runtime: `servers` and `targets` in `tests/support`."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import targets
from servers import Server
from targets import Target


HERE = Path(__file__).parent
WIRE = ("faults", "maintenance", "scheduler/faults", "scheduler/scripts", "scripts", "wire")
"""Folders of tests that all depend on how Redis is reached: steps are atomic and complete, whatever lies between."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark folders; a run about another Redis than the usual one leaves out what has nothing to do with it."""
    for item in items:
        if item.path.parent.relative_to(HERE).as_posix() in WIRE:
            item.add_marker(pytest.mark.wire)
    about = {"_target"} if targets.shape() != "plain" else {"_target", "server"}
    if targets.shape() == "plain" and "PENSTOCK_TEST_SERVER" not in os.environ:
        return
    others = [item for item in items if about.isdisjoint(getattr(item, "fixturenames", ()))]
    items[:] = [item for item in items if item not in others]
    config.hook.pytest_deselected(items=others)


@pytest.fixture(scope="session")
def _target() -> Iterator[Target]:
    with targets.start(targets.shape()) as target:
        yield target


@pytest.fixture
def target(_target: Target) -> Target:
    """Redis in the shape that this run is about, empty. For all tests of a run it is the same: leave it as it was."""
    _target.flush()
    return _target


@pytest.fixture
def server() -> Iterator[Server]:
    """A plain server of the test's own, to kill, to pause, to restart; what it was told to keep, it keeps."""
    with Server(appendonly=True) as server:
        yield server
