"""CI runs the same targets as a contributor."""

import ast
import itertools
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml


@pytest.fixture
def workflow(root: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((root / ".github/workflows/ci.yml").read_text())
    return loaded


def test_ci_runs_the_test_command_of_the_readme(root: Path) -> None:
    """After the setup, CI starts the test command that README has for a fresh clone."""
    promised = [line.lstrip(" $") for block in shell_blocks(root / "README.md") for line in block.splitlines()]
    ran = re.findall(r"^(?:run|start \S+) (make .+)$", (root / ".ci/run").read_text(), re.MULTILINE)
    assert ran[:2] == ["make setup", "make test"]
    assert ran[1] in {line.split("#")[0].strip() for line in promised}


def test_the_workflow_may_only_read(workflow: dict[str, Any]) -> None:
    """Code of a pull request can change nothing in the repository."""
    assert workflow["permissions"] == {"contents": "read"}
    assert not [name for name, job in workflow["jobs"].items() if "permissions" in job]


def test_the_workflow_and_nox_have_the_same_pythons(root: Path, workflow: dict[str, Any]) -> None:
    """A Python is supported in both or in neither."""
    [pythons] = re.findall(r"^PYTHONS = (\[.+\])$", (root / "noxfile.py").read_text(), re.MULTILINE)
    assert workflow["jobs"]["tests"]["strategy"]["matrix"]["python"] == ast.literal_eval(pythons)


def test_ci_skips_no_test(root: Path, workflow: dict[str, Any]) -> None:
    """A test without its program fails."""
    assert "export PENSTOCK_LEAVE_NOTHING_OUT=1\n" in (root / ".ci/run").read_text()
    assert workflow["jobs"]["tests"]["env"] == {"PENSTOCK_LEAVE_NOTHING_OUT": "1"}


def test_ci_tests_each_server_in_each_shape(root: Path) -> None:
    """`make test` runs all tests on Valkey; other servers run tests/runtime, and each pair those marked `wire`."""
    runs = matrix(root)
    assert {run.server for run in runs if run.shape == "plain" and not run.tests} == SERVERS - {"valkey"}
    wire = {(run.server, run.shape) for run in runs if run.tests}
    assert wire == set(itertools.product(SERVERS, SHAPES - {"plain"}))
    assert len(runs) == len(SERVERS) * len(SHAPES) - 1, "each only once"


def test_ci_tests_storms_and_both_loops_on_each_server_and_in_each_shape(root: Path) -> None:
    """These are expensive, so they do not run in each pair."""
    runs = matrix(root)
    storms = [run for run in runs if run.tests != "calm"]
    uvloop = [run for run in runs if run.loop == "uvloop"]
    assert {run.server for run in storms} == {run.server for run in uvloop} == SERVERS
    assert {run.shape for run in storms} == {run.shape for run in uvloop} == SHAPES


def test_the_workflow_tests_each_server_in_each_shape_on_each_loop(workflow: dict[str, Any]) -> None:
    """With all tests of the runtime."""
    of = workflow["jobs"]["shapes"]["strategy"]["matrix"]
    assert (set(of["server"]), set(of["shape"]), set(of["loop"])) == (SERVERS, SHAPES, {"asyncio", "uvloop"})


@pytest.mark.parametrize("role", ["janitor", "operating", "producer", "scheduler", "worker"])
def test_each_role_has_tests_that_run_in_each_shape(root: Path, role: str) -> None:
    """At least a smoke test with the marker `wire`."""
    tests = (root / "tests/runtime" / role).glob("test_*.py")
    assert any("pytest.mark.wire" in one.read_text() for one in tests)


SERVERS = {"valkey", "redis62", "redis7"}
SHAPES = {"plain", "tls", "sentinel", "cluster"}


class MatrixRun(NamedTuple):
    """An argument of tools/matrix.sh."""

    server: str
    shape: str
    loop: str = "asyncio"
    tests: str = ""


def matrix(root: Path) -> list[MatrixRun]:
    words = re.findall(r"\b(?:valkey|redis\d+):[\w:]+", (root / ".ci/run").read_text())
    return [MatrixRun(*word.split(":")) for word in words]


def shell_blocks(page: Path) -> list[str]:
    return re.findall(r"^```(?:console|sh|shell|bash)\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
