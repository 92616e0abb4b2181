"""Fixtures: a repository as the current folder, and the command in this process."""

from __future__ import annotations

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
  production: {namespace: production, redis: {addresses: ["redis:6379"]}, routes: {default: {slack: "#alerts"}}}
"""
SPEC = """\
kind: pipeline
name: media-cluster
owner: {team: media}
handler: media.clustering:cluster
image: registry.example/media:1.4.2
"""


@dataclass(frozen=True)
class Ran:
    """The result of a run of the command."""

    code: int
    out: str
    err: str


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one valid spec, as the current folder."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "penstock.yaml").write_text(PLATFORM)
    (tmp_path / "specs" / "media-cluster.yaml").write_text(SPEC)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PENSTOCK_TODAY", "2027-01-01")
    return tmp_path


@pytest.fixture
def penstock(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs the command through `main`, and returns its exit code and output."""

    def run(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["penstock", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main()
        captured = capsys.readouterr()
        code = stopped.value.code
        return Ran(code if isinstance(code, int) else 1, captured.out, captured.err)

    return run
