"""The specs of this repository as they are in each environment, and the table of what the source documents set."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from penstock_spec.kinds import kinds
from penstock_spec.linting.check import PlatformFile, check_platform, resolve
from penstock_spec.model import Section
from penstock_spec.reading import Document, read

ROOT = Path(__file__).parents[2]
Resolve = Callable[[str, str], Any]


def tool(name: str) -> ModuleType:
    """A script of tools/, which is no package."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, ROOT / f"tools/{name}.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def document(path: Path) -> Document:
    return read(path.relative_to(ROOT).as_posix(), path.read_bytes())


@pytest.fixture(scope="session")
def seeds() -> ModuleType:
    return tool("seeds")


@pytest.fixture(scope="session")
def seed_names() -> ModuleType:
    return tool("seed_names")


@pytest.fixture(scope="session")
def observing() -> ModuleType:
    return tool("observing")


@pytest.fixture(scope="session")
def platform() -> PlatformFile:
    return check_platform(document(ROOT / "penstock.yaml"))


@pytest.fixture(scope="session")
def resolved(platform: PlatformFile) -> Resolve:
    """A spec's model in an environment."""
    known: dict[tuple[str, str], Section] = {}

    def resolving(name: str, environment: str) -> Section:
        if (name, environment) not in known:
            spec = document(ROOT / f"specs/{name}.yaml")
            known[name, environment] = resolve(kinds()[spec.data["kind"]], spec, platform, environment)[0]
        return known[name, environment]

    return resolving


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    """What `module:name` is with examples/ on the path; afterwards no module of theirs is left."""
    packages = {path.name for path in (ROOT / "examples").iterdir() if path.is_dir()}

    def loaded() -> list[str]:
        return [name for name in sys.modules if name.partition(".")[0] in packages]

    def importing(path: str) -> Any:  # noqa: ANN401 - a handler, or a model
        module, _, name = path.partition(":")
        return getattr(importlib.import_module(module), name)

    for name in loaded():
        monkeypatch.delitem(sys.modules, name)
    with monkeypatch.context() as path:
        path.syspath_prepend(ROOT / "examples")
        yield importing
    for name in loaded():
        del sys.modules[name]
