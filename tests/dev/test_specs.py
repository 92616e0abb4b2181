"""The last valid version of each spec runs."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from dev_session import PLATFORM, SPEC

from penstock_dev.running.file_watcher import Changes, FileWatcher
from penstock_dev.running.spec_loader import LoadedSpecs, SpecLoader, SpecSelection
from penstock_spec.findings import CannotGoOn, Severity


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two specs."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "penstock.yaml").write_text(PLATFORM)
    for name in ("one", "two"):
        (tmp_path / "specs" / f"{name}.yaml").write_text(SPEC.replace("trial", name))
    return tmp_path


def loader_of(repository: Path) -> SpecLoader:
    return SpecLoader(SpecSelection((), repository / "penstock.yaml", "dev", repository, lambda: date(2026, 1, 1)))


def concurrency(loaded: LoadedSpecs) -> dict[str, int]:
    return {one.name: one.spec.work.concurrency for one in loaded.workloads}


def change(repository: Path, name: str, line: str) -> None:
    with (repository / "specs" / f"{name}.yaml").open("a") as spec:
        spec.write(f"{line}\n")


def test_an_invalid_spec_does_not_block_others(repository: Path) -> None:
    """Its last valid version stays, and the error has its line."""
    loader = loader_of(repository)
    assert concurrency(loader.read()) == {"one": 16, "two": 16}

    change(repository, "one", "work: {concurrency: none}")
    change(repository, "two", "work: {concurrency: 5}")

    loaded = loader.read()
    assert concurrency(loaded) == {"one": 16, "two": 5}
    assert list(loaded.errors) == ["one"]
    assert loaded.errors["one"].startswith("specs/one.yaml:8:21: expected a whole number")
    assert loaded.errors["one"].endswith("still running the last valid version")


def test_specs_that_are_invalid_together_are_reported(repository: Path) -> None:
    loader = loader_of(repository)
    loader.read()
    two = repository / "specs" / "two.yaml"
    two.write_text(two.read_text().replace("name: two", "name: one"))
    loaded = loader.read()
    assert list(loaded.errors) == [""]
    assert "one" in loaded.errors[""]


def test_an_invalid_platform_file_changes_nothing(repository: Path) -> None:
    """Neither does one without the running environment, or a missing one."""
    loader = loader_of(repository)
    loader.read()
    platform = repository / "penstock.yaml"
    for text in ("kind: platform\n", PLATFORM.replace("dev:", "other:"), None):
        if text is None:
            platform.unlink()
        else:
            platform.write_text(text)
        loaded = loader.read()
        assert concurrency(loaded) == {"one": 16, "two": 16}
        assert loaded.errors
    platform.write_text(PLATFORM)
    assert not loader.read().errors


def test_a_removed_spec_is_dropped(repository: Path) -> None:
    """Even while another one is invalid; a new invalid one is reported."""
    loader = loader_of(repository)
    loader.read()
    (repository / "specs" / "one.yaml").unlink()
    (repository / "specs" / "new.yaml").write_text("kind: pipeline\n")
    loaded = loader.read()
    assert concurrency(loaded) == {"two": 16}
    assert loaded.errors[""].startswith("specs/new.yaml:1:1: ")


def test_specs_that_were_never_valid_do_not_run(repository: Path) -> None:
    """The command reports the errors and does not start."""
    change(repository, "one", "nonsense: true")
    loaded = loader_of(repository).read()
    assert not loaded.workloads
    assert loaded.outcome.count(Severity.ERROR)
    (repository / "penstock.yaml").unlink()
    with pytest.raises(CannotGoOn, match="there is no platform file"):
        loader_of(repository).read()


def test_only_handwritten_files_count_as_changes(repository: Path) -> None:
    """Code, specs and templates, but not generated files and hidden folders."""
    files = FileWatcher([repository, repository / "specs"])
    for folder in (".venv", "generated", "__pycache__"):
        (repository / folder).mkdir()
        (repository / folder / "one.py").touch()
    (repository / "notes.txt").touch()
    assert files.changed() is Changes.NOTHING
    (repository / "one.py").touch()
    assert files.changed() is Changes.CODE
    (repository / "one.py").unlink()
    change(repository, "one", "# a word")
    assert files.changed() == Changes.CODE | Changes.SPECS
    assert files.changed() is Changes.NOTHING
    (repository / "scaledobject.yaml.j2").touch()
    assert files.changed() is Changes.SPECS
