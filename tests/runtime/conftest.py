"""A Redis of the chosen version and shape for tests of the runtime; see `servers` and `targets` in `tests/support`."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import targets
from servers import Server
from targets import Target

HERE = Path(__file__).parent
WIRE = {HERE / name for name in ("faults", "maintenance", "scheduler/faults", "scheduler/scripts", "scripts", "wire")}
"""Folders whose tests all depend on the shape of Redis: steps are atomic and complete over each."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip modules without marked tests in a run of marked tests, because each process would import them."""
    if not config.option.markexpr.startswith("wire") or not collection_path.match("test_*.py"):
        return None
    is_marked = _is_wire(collection_path) or "pytest.mark.wire" in collection_path.read_text()
    return None if is_marked else True


def _is_wire(module: Path) -> bool:
    return module.parent in WIRE


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark folders; a run on another Redis than the default deselects tests without Redis."""
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
    """An empty Redis of this run's shape. All tests of a run share it, so a test restores what it changes."""
    _target.flush()
    return _target


@pytest.fixture
def server() -> Iterator[Server]:
    """A plain server for one test, to kill, pause or restart; it keeps acknowledged writes."""
    with Server(appendonly=True) as server:
        yield server
