"""A repository to generate from, and the command."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def repository(root: Path, tmp_path: Path) -> Path:
    """The specs of this repository, in a folder of the test's own."""
    there = tmp_path / "repository"
    shutil.copytree(root / "specs", there / "specs")
    shutil.copy(root / "penstock.yaml", there)
    return there


@pytest.fixture
def penstock(repository: Path) -> Run:
    """The command, in that repository."""
    environ = {"PATH": os.environ["PATH"], "PENSTOCK_TODAY": "2026-01-01"}

    def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).with_name("penstock")), *words]
        return subprocess.run(
            command, cwd=repository, env=environ | variables, capture_output=True, text=True, check=False
        )

    return run
