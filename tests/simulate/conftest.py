"""A repository with one pipeline, and the command, in this process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from penstock.command import main

PLATFORM = """\
kind: platform
environments:
  dev: {namespace: dev, redis: {addresses: ["redis:6379"]}, routes: {default: {slack: "#dev"}}}
  production:
    namespace: production
    redis: {addresses: ["redis:6379"], connections: 10000}
    routes: {default: {slack: "#alerts"}}
"""
SPEC = """\
kind: pipeline
name: resize
owner: {team: media}
handler: media.jobs:resize
image: registry.example/media:1.4.2
work: {concurrency: 4}
scaling:
  replicas: {min: 0, max: 20}
  backlog_per_replica: 8
environments:
  dev: {scaling.replicas.max: 2}
"""


@dataclass(frozen=True)
class CommandResult:
    """The result of a run of the command."""

    code: int
    out: str
    err: str


Run = Callable[..., CommandResult]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "penstock.yaml").write_text(PLATFORM)
    (tmp_path / "specs" / "resize.yaml").write_text(SPEC)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PENSTOCK_TODAY", "2027-01-01")
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path


@pytest.fixture
def git(repository: Path) -> Callable[..., None]:
    """Git in the repository, with a neutral identity."""
    identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.com", "-c", "commit.gpgsign=false"]

    def run(*words: str) -> None:
        subprocess.run(["git", *identity, *words], cwd=repository, check=True, capture_output=True)

    return run


@pytest.fixture
def penstock(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command as `main` does, exit code included."""

    def run(*arguments: str) -> CommandResult:
        monkeypatch.setattr(sys, "argv", ["penstock", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main()
        captured = capsys.readouterr()
        code = stopped.value.code
        return CommandResult(code if isinstance(code, int) else 1, captured.out, captured.err)

    return run
