"""`penstock init` creates a repository that works, and keeps existing files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from penstock.command.init import STARTER

Run = Callable[..., Any]


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("empty")
def test_a_new_repository_has_no_findings_and_is_formatted(penstock: Run) -> None:
    assert penstock("init", "pipelines").code == 0
    assert penstock("lint", "--strict", "--platform", "pipelines/penstock.yaml", "pipelines/specs").code == 0
    assert penstock("fmt", "--check", "--platform", "pipelines/penstock.yaml").out == "all files are formatted\n"


def test_it_writes_the_files_that_it_lists(empty: Path, penstock: Run) -> None:
    lines = penstock("init").out.splitlines()
    written = {line.split()[1] for line in lines if line.startswith("written")}
    assert written == {path.relative_to(empty).as_posix() for path in empty.rglob("*") if path.is_file()}
    assert written >= set(STARTER)


def test_an_existing_file_is_kept(empty: Path, penstock: Run) -> None:
    (empty / "README.md").write_text("ours\n")
    assert "kept    README.md" in penstock("init").out
    assert (empty / "README.md").read_text() == "ours\n"


def test_a_repository_is_not_created_twice(empty: Path, penstock: Run) -> None:
    penstock("init")
    before = {path: path.read_bytes() for path in empty.rglob("*") if path.is_file()}
    ran = penstock("init")
    assert ran.code == 2
    assert before == {path: path.read_bytes() for path in empty.rglob("*") if path.is_file()}


def test_the_schema_paths_in_specs_exist(empty: Path, penstock: Run) -> None:
    penstock("init")
    for spec in ("penstock.yaml", "specs/hello.yaml"):
        first = (empty / spec).read_text().partition("\n")[0]
        schema = first.removeprefix("# yaml-language-server: $schema=")
        assert ((empty / spec).parent / schema).is_file()
