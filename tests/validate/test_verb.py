"""`penstock validate` checks generated files with the programs that will read them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def repository(root: Path, tmp_path: Path) -> Path:
    for name in ("specs", "generated"):
        shutil.copytree(root / name, tmp_path / name)
    shutil.copy(root / "penstock.yaml", tmp_path)
    return tmp_path


def validate(root: Path, where: Path, *words: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    schemas = ("--schemas", str(root / "build/validators/schemas"))
    command = [str(Path(sys.executable).with_name("penstock")), "validate", *schemas, *words]
    environ = {"PATH": path or os.environ["PATH"], "PENSTOCK_TODAY": "2026-01-01"}
    return subprocess.run(command, cwd=where, env=environ, capture_output=True, text=True, check=False)


def test_committed_files_are_valid(root: Path, repository: Path) -> None:
    """Manifests, rules, their tests, Alertmanager, the chart's values and the images."""
    ran = validate(root, repository)
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert all(line.startswith("ok ") for line in lines)
    for program in ("kubeconform", "promtool", "amtool", "helm", "hadolint"):
        assert any(line.endswith(f"({program})") for line in lines), program


@pytest.mark.parametrize(
    ("file", "change", "what"),
    [
        ("production/jobs/manifests/deployment.yaml", ("maxSurge", "maxSurges"), "production: manifests"),
        ("dev/jobs/rules.yaml", ("max(", "max(("), "dev: rules"),
        ("dev/jobs/rules.yaml", ("> 300", "> 400"), "dev: tests of alerts"),
        ("production/_environment/alertmanager.yaml", ("receiver:", "receivers:"), "production: Alertmanager"),
        ("dev/jobs/values.yaml", ("graceSeconds:", "graceSecond:"), "dev: jobs's values"),
        ("images/worker.Dockerfile", ("FROM python", "FROM --from"), "images"),
    ],
)
def test_an_invalid_file_is_reported(
    root: Path, repository: Path, file: str, change: tuple[str, str], what: str
) -> None:
    """With the program's output."""
    path = repository / "generated" / file
    text = path.read_text()
    assert change[0] in text
    path.write_text(text.replace(*change))
    ran = validate(root, repository)
    assert ran.returncode == 1
    failed = [line for line in ran.stdout.splitlines() if line.startswith("failed ")]
    assert any(what in line for line in failed)
    assert "\n    " in ran.stdout


def test_only_selected_files_are_checked(root: Path, repository: Path) -> None:
    ran = validate(root, repository, "--env", "dev", "--only", "jobs")
    assert ran.returncode == 0
    assert "production" not in ran.stdout
    assert "media-cluster" not in ran.stdout


def test_a_missing_program_fails(root: Path, repository: Path) -> None:
    ran = validate(root, repository, "--env", "dev", path="/nowhere")
    assert ran.returncode == 1
    assert "skipped  dev: rules: promtool is not installed\n" in ran.stdout
    assert "hint: install amtool and helm and kubeconform and promtool, and put it on the PATH" in ran.stderr


def test_missing_schemas_are_an_error(root: Path, repository: Path) -> None:
    ran = validate(root, repository, "--schemas", "nowhere")
    assert ran.returncode == 2
    assert "`nowhere` has no JSON Schemas for kubeconform" in ran.stderr


def test_missing_generated_files_are_an_error(root: Path, repository: Path) -> None:
    shutil.rmtree(repository / "generated")
    ran = validate(root, repository)
    assert ran.returncode == 2
    assert "there are no generated files to check" in ran.stderr
