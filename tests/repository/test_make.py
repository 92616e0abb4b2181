"""`make` lists all tasks of a contributor."""

import os
import re
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def targets(root: Path) -> set[str]:
    phony = re.findall(r"^\.PHONY:(.*)$", (root / "Makefile").read_text(), re.MULTILINE)
    return {target for line in phony for target in line.split()}


def make(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # `make test` passes its own flags on, which would change the output of this make.
    environment = {
        name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}
    }
    return subprocess.run(["make", *arguments], cwd=root, env=environment, capture_output=True, text=True, check=False)


def test_make_alone_lists_every_target(root: Path, targets: set[str]) -> None:
    """With one line that describes it."""
    lines = [line.split(maxsplit=1) for line in make(root).stdout.splitlines()]
    assert all(len(line) == 2 for line in lines)
    assert sorted(target for target, _ in lines) == sorted(targets)


def test_an_unsuitable_python_is_reported_in_one_line(root: Path, tmp_path: Path) -> None:
    """Without a traceback."""
    old_python = tmp_path / "old-python"
    old_python.write_text('#!/bin/sh\n[ "$1" = -V ] && echo Python 3.9.2\nexit 1\n')
    old_python.chmod(0o755)
    result = make(root, "--always-make", f"PYTHON={old_python}", ".venv/requirements")
    assert result.returncode != 0
    first = result.stderr.splitlines()[0]
    assert "Python 3.11 or newer with venv is required" in first
    assert "(Python 3.9.2)" in first
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "README.md"])
def test_the_targets_that_a_page_names_exist(root: Path, targets: set[str], page: str) -> None:
    """Targets in backticks and in lines of a shell."""
    named = set(re.findall(r"(?m)(?:`|^\$ |^)make ([a-z-]+)", (root / page).read_text()))
    assert named
    assert named <= targets
