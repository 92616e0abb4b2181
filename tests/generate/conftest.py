"""A repository to generate from, and the command."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from preloaded import Preloaded

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def repository(root: Path, tmp_path: Path) -> Path:
    """The specs of this repository, copied for the test."""
    there = tmp_path / "repository"
    shutil.copytree(root / "specs", there / "specs")
    shutil.copy(root / "penstock.yaml", there)
    return there


@pytest.fixture(scope="session")
def preloaded() -> Iterator[Preloaded]:
    with Preloaded("penstock.command", "penstock_generate") as preloaded:
        yield preloaded


@pytest.fixture
def penstock(repository: Path, preloaded: Preloaded) -> Run:
    """The command, in that repository."""
    environ = {"PATH": os.environ["PATH"], "PENSTOCK_TODAY": "2026-01-01"}

    def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        if any(name.startswith("PYTHON") for name in variables):  # these only work when Python starts
            command = [str(Path(sys.executable).with_name("penstock")), *words]
            environment = {**environ, **variables}
            return subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=False)
        return preloaded.run(*words, cwd=repository, env={**environ, **variables})

    return run
