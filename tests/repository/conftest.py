"""The files and packages of the repository."""

import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def files(root: Path) -> list[Path]:
    """Every file that is, or would be, committed; relative to the root."""
    # The checkout of a CI machine often belongs to another user; git then requires `safe.directory`.
    git = ["git", "-c", f"safe.directory={root}"]
    listed = subprocess.run(
        [*git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    )
    return [Path(name) for name in listed.stdout.split("\0") if name and (root / name).is_file()]


@pytest.fixture(scope="session")
def packages(root: Path) -> list[Path]:
    return sorted(path for path in (root / "packages").iterdir() if path.is_dir())
