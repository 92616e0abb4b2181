"""Runs an example of a rule as `penstock lint` would run it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock_spec.examples import SPEC, TODAY, Example
from penstock_spec.findings import Finding
from penstock_spec.linting.lint import lint
from penstock_spec.repository import PLATFORM_FILE, Repository, read_inputs

Run = Callable[[Example], tuple[Finding, ...]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """All findings in the repository of an example."""

    def run(example: Example) -> tuple[Finding, ...]:
        for name, content in example.files().items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        spec = tmp_path / SPEC
        if example.on_disk == "folder":
            spec.mkdir(parents=True)
        elif example.on_disk == "fifo":
            spec.parent.mkdir()
            os.mkfifo(spec)
        elif example.on_disk == "loop":
            spec.parent.mkdir()
            spec.symlink_to(spec)
        specs = tuple(tmp_path / name for name in example.names())
        repository = Repository(tmp_path, tmp_path / PLATFORM_FILE, specs, whole=True)
        return lint(read_inputs(repository), (), TODAY).outcome.findings

    return run
