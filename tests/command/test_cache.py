"""The lint cache is never outdated: its key has content, tools, environments and the date."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from penstock_spec.linting import cache

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def engine_runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of specs that the engine checked, by run."""
    from penstock_spec.linting import check, lint  # noqa: PLC0415 - the patched modules

    runs: list[int] = []
    real_lint, real_check = lint.lint, check.check_and_resolve

    def counted_lint(*arguments: Any) -> Any:  # noqa: ANN401 - passed on unchanged
        runs.append(0)
        return real_lint(*arguments)

    def counted_check(*arguments: Any) -> Any:  # noqa: ANN401 - as above
        runs[-1] += 1
        return real_check(*arguments)

    monkeypatch.setattr(lint, "lint", counted_lint)
    monkeypatch.setattr(lint, "check_and_resolve", counted_check)
    return runs


@pytest.mark.usefixtures("repository")
def test_an_unchanged_run_is_answered_from_the_cache(penstock: Run, engine_runs: list[int]) -> None:
    first, second = penstock("lint"), penstock("lint")
    assert engine_runs == [1]
    assert first == second


def test_findings_from_the_cache_are_the_same(repository: Path, penstock: Run, engine_runs: list[int]) -> None:
    spec = repository / "specs" / "media-cluster.yaml"
    spec.write_text(spec.read_text() + "shutdown: {grace: 20s}\nenvironments: {dev: {shutdown.grace: 2m}}\n")
    first, second = penstock("lint"), penstock("lint")
    assert engine_runs == [1]
    assert first.code == 1
    assert "^^^" in first.out
    assert first == second


def test_an_edit_with_the_same_size_and_time_is_noticed(repository: Path, penstock: Run) -> None:
    """Times are unreliable: an edit within a tick, a checkout, a restored backup."""
    spec = repository / "specs" / "media-cluster.yaml"
    spec.write_text(spec.read_text() + "shutdown: {grace: 99s}\n")
    stamp = spec.stat()
    assert penstock("lint").code == 0
    spec.write_text(spec.read_text().replace("99s", "22s"))
    os.utime(spec, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert penstock("lint").code == 1


def test_only_changed_specs_are_checked_again(repository: Path, penstock: Run, engine_runs: list[int]) -> None:
    spec = (repository / "specs" / "media-cluster.yaml").read_text()
    (repository / "specs" / "other.yaml").write_text(spec.replace("media-cluster", "other"))
    penstock("lint")
    (repository / "specs" / "other.yaml").write_text(spec.replace("media-cluster", "another"))
    penstock("lint")
    assert engine_runs == [2, 1]


def test_a_change_of_the_platform_file_checks_everything(
    repository: Path, penstock: Run, engine_runs: list[int]
) -> None:
    penstock("lint")
    platform = repository / "penstock.yaml"
    platform.write_text(platform.read_text() + "defaults: {shutdown.grace: 5s}\n")
    assert penstock("lint").code == 1
    assert engine_runs == [1, 1]


def test_a_finding_across_specs_disappears_with_the_other_spec(repository: Path, penstock: Run) -> None:
    twin = repository / "specs" / "twin.yaml"
    twin.write_text((repository / "specs" / "media-cluster.yaml").read_text())
    assert "name-used-twice" in penstock("lint").out
    twin.unlink()
    assert penstock("lint").code == 0


def test_a_change_of_a_file_next_to_a_spec_is_noticed(repository: Path, penstock: Run) -> None:
    spec = repository / "specs" / "media-cluster.yaml"
    spec.write_text(spec.read_text() + 'message: {schema: {model: "media.models:Job"}}\n')
    assert penstock("lint").code == 1
    written = repository / "specs" / "media-cluster.message.json"
    written.write_text('{"type": "object"}')
    assert penstock("lint").code == 0
    written.write_text("not JSON")
    assert penstock("lint").code == 1


def test_a_suppression_expires_on_its_date(repository: Path, penstock: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = repository / "specs" / "media-cluster.yaml"
    suppression = "{rule: grace-shorter-than-timeout, reason: the handler is quick, until: 2027-01-31}"
    spec.write_text(spec.read_text() + f"shutdown: {{grace: 20s}}\nsuppress: [{suppression}]\n")
    assert penstock("lint").code == 0
    monkeypatch.setenv("PENSTOCK_TODAY", "2027-01-31")
    assert penstock("lint").code == 0
    monkeypatch.setenv("PENSTOCK_TODAY", "2027-02-01")
    ran = penstock("lint")
    assert ran.code == 1
    assert "suppression-expired" in ran.out


@pytest.mark.usefixtures("repository")
def test_a_new_version_invalidates_the_cache(
    penstock: Run, engine_runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    penstock("lint")
    monkeypatch.setattr(cache, "version", lambda tool: f"{tool} next")
    penstock("lint")
    assert engine_runs == [1, 1]


def test_environments_are_cached_separately(repository: Path, penstock: Run) -> None:
    spec = repository / "specs" / "media-cluster.yaml"
    spec.write_text(spec.read_text() + "environments: {dev: {shutdown.grace: 5s}}\n")
    assert penstock("lint", "--env", "production").code == 0
    assert penstock("lint", "--env", "dev").code == 1
    assert penstock("lint", "--env", "production").code == 0


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"key": 1}', "\0", "nested"])
def test_a_damaged_cache_is_ignored(damage: str, repository: Path, penstock: Run, engine_runs: list[int]) -> None:
    penstock("lint")
    for file in (repository / cache.FOLDER).glob("*.json"):
        cached = json.loads(file.read_text())
        damaged = dict.fromkeys(cached, 1) | {name: cached[name] for name in ("key", "around") if name in cached}
        file.write_text(json.dumps(damaged) if damage == "nested" else damage)
    assert penstock("lint").code == 0
    assert engine_runs == [1, 1]


def test_concurrent_runs_agree_and_leave_a_valid_cache(repository: Path) -> None:
    spec = repository / "specs" / "media-cluster.yaml"
    spec.write_text(spec.read_text() + "shutdown: {grace: 20s}\n")
    command = [sys.executable, "-m", "penstock", "lint"]
    running = [subprocess.Popen(command, cwd=repository, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    outputs = {process.communicate()[0] for process in running}
    assert len(outputs) == 1
    assert "grace-shorter-than-timeout" in outputs.pop()
    files = sorted(path.name for path in (repository / cache.FOLDER).iterdir())
    assert files == [".gitignore", "run.json", "specs.json"]
    assert all(json.loads((repository / cache.FOLDER / name).read_text()) for name in files[1:])


def test_a_cache_that_cannot_be_written_is_no_error(repository: Path, penstock: Run) -> None:
    (repository / cache.FOLDER).write_text("a file is in the way")
    assert penstock("lint").code == 0
    assert (repository / cache.FOLDER).read_text() == "a file is in the way"
