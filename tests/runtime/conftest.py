"""A Redis of the chosen make and shape for every test of the runtime: `servers` and `targets` in `tests/support`."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import targets
from servers import Server
from targets import Target

HERE = Path(__file__).parent
WIRE = {HERE / name for name in ("faults", "maintenance", "scheduler/faults", "scheduler/scripts", "scripts", "wire")}
"""Folders of tests that all depend on how Redis is reached: steps are atomic and complete, whatever lies between."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A run of marked tests alone does not import the modules without any; each process of the run would."""
    if not config.option.markexpr.startswith("wire") or not collection_path.match("test_*.py"):
        return None
    is_marked = _is_wire(collection_path) or "pytest.mark.wire" in collection_path.read_text()
    return None if is_marked else True


def _is_wire(module: Path) -> bool:
    return module.parent in WIRE


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark folders; a run about another Redis than the usual one leaves out what has nothing to do with it."""
    for item in items:
        if _is_wire(item.path):
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
