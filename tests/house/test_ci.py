"""CI runs what a contributor runs."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest
import yaml


@pytest.fixture
def workflow(root: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((root / ".github/workflows/ci.yml").read_text())
    return loaded


def test_ci_runs_the_test_command_of_the_readme(root: Path) -> None:
    """The one command that README promises for a fresh clone is the first that CI proves."""
    promised = [line.lstrip(" $") for block in shell_blocks(root / "README.md") for line in block.splitlines()]
    ran = re.findall(r"^run (make .+)$", (root / ".ci/run").read_text(), re.MULTILINE)
    assert ran[0] == "make test"
    assert ran[0] in {line.split("#")[0].strip() for line in promised}


def test_the_workflow_may_only_read(workflow: dict[str, Any]) -> None:
    """A run of foreign code in a pull request can change nothing."""
    assert workflow["permissions"] == {"contents": "read"}
    assert not [name for name, job in workflow["jobs"].items() if "permissions" in job]


def test_the_workflow_and_nox_hold_the_same_pythons(root: Path, workflow: dict[str, Any]) -> None:
    """A Python is supported in both or in neither."""
    [pythons] = re.findall(r"^PYTHONS = (\[.+\])$", (root / "noxfile.py").read_text(), re.MULTILINE)
    assert workflow["jobs"]["tests"]["strategy"]["matrix"]["python"] == ast.literal_eval(pythons)


def test_ci_leaves_nothing_out(root: Path, workflow: dict[str, Any]) -> None:
    """A test that lacks its program fails there."""
    assert "export PENSTOCK_LEAVE_NOTHING_OUT=1\n" in (root / ".ci/run").read_text()
    assert workflow["jobs"]["tests"]["env"] == {"PENSTOCK_LEAVE_NOTHING_OUT": "1"}


def shell_blocks(page: Path) -> list[str]:
    return re.findall(r"^```(?:console|sh|shell|bash)\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
