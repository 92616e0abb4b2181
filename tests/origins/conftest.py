"""The table of origins, its tools, and the specs of this repository."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from repository import Resolve, platform_of, resolver

from penstock_spec.linting.check import PlatformFile

ROOT = Path(__file__).parents[2]


def tool(name: str) -> ModuleType:
    """A script of tools/, which is not a package."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, ROOT / f"tools/{name}.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(scope="session")
def origins() -> ModuleType:
    return tool("origins")


@pytest.fixture(scope="session")
def origin_names() -> ModuleType:
    return tool("origin_names")


@pytest.fixture(scope="session")
def platform() -> PlatformFile:
    return platform_of(ROOT)


@pytest.fixture(scope="session")
def resolved() -> Resolve:
    return resolver(ROOT)
