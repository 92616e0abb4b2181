"""`make test-under-load` runs tests on a machine that is busy with other work."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def under_load(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("under_load", root / "tools/under_load.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_busy_processes_end_with_the_command(under_load: ModuleType) -> None:
    with under_load.load(3) as busy:
        assert [one.poll() for one in busy] == [None] * 3
    assert None not in [one.poll() for one in busy]


def test_the_exit_code_is_that_of_the_command(root: Path) -> None:
    """It also prints the share that the command got."""
    command = [sys.executable, str(root / "tools/under_load.py"), sys.executable, "-c", "import sys; sys.exit(3)"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 3
    assert re.fullmatch(r"the command had \d+% of \d+ processors\n", ran.stdout)
