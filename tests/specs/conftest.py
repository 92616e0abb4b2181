"""The handlers of examples/, which the specs of this repository name."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from repository import Resolve, resolver

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def resolved() -> Resolve:
    return resolver(ROOT)


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    """Imports `module:name` with examples/ on the path, and unloads the modules of examples/ at the end."""
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
