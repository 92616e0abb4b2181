"""Specs with other values, and as they were."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from penstock_dev.simulating.git import at_revision
from penstock_dev.simulating.specs import InvalidSpecs, ValidSpecs, read, with_value
from penstock_spec.context import SpecContext, steps
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.repository import Inputs, open_repository, read_inputs

TODAY = date(2027, 1, 1)


def inputs(folder: Path) -> Inputs:
    return read_inputs(open_repository((folder / "specs/resize.yaml",), None, folder))


def specs(folder: Path, environment: str = "production") -> ValidSpecs:
    found = read(inputs(folder), (environment,), TODAY)
    assert isinstance(found, ValidSpecs)
    return found


def tried(folder: Path, environment: str, field: str, value: object) -> Pipeline:
    found = with_value(specs(folder, environment), steps(field), value)
    assert isinstance(found, SpecContext), found
    return found.spec


def test_a_field_gets_another_value_and_no_other_changes(repository: Path) -> None:
    spec = tried(repository, "production", "scaling.backlog_per_replica", 32)
    before = specs(repository).one().spec
    scaling = before.scaling.model_copy(update={"backlog_per_replica": 32})
    assert spec == before.model_copy(update={"scaling": scaling})


def test_what_the_environment_says_gets_the_value_too(repository: Path) -> None:
    """Else the value would be tried where nobody sees it."""
    assert tried(repository, "dev", "scaling.replicas.max", 5).scaling.replicas.max == 5


def test_a_field_of_a_section_that_the_environment_says_whole_is_changed_there(repository: Path) -> None:
    path = repository / "specs/resize.yaml"
    path.write_text(path.read_text() + "  production: {scaling.boost: {when_older_than: 30s}}\n")
    spec = tried(repository, "production", "scaling.boost.factor", 3)
    assert spec.scaling.boost
    assert (spec.scaling.boost.factor, str(spec.scaling.boost.when_older_than)) == (3, "30s")


def test_a_value_that_a_rule_refuses_is_told_with_its_rule(repository: Path) -> None:
    """And so is one that is no value of the field at all."""
    for field, value, rule in (
        ("scaling.replicas.min", 21, "min-above-max"),
        ("scaling.replicas.max", "many", "wrong-type"),
    ):
        found = with_value(specs(repository), steps(field), value)
        assert isinstance(found, tuple)
        assert [one.rule for one in found] == [rule]


def test_specs_with_errors_are_not_simulated(repository: Path) -> None:
    path = repository / "specs/resize.yaml"
    path.write_text(path.read_text().replace("owner", "owners"))
    found = read(inputs(repository), (), TODAY)
    assert isinstance(found, InvalidSpecs)
    assert found.outcome.findings


def test_a_spec_is_read_as_it_was_committed(repository: Path, git: Callable[..., None]) -> None:
    """Platform file and spec both; what lies on disk has changed since."""
    git("init")
    git("add", ".")
    git("commit", "-m", "before")
    path = repository / "specs/resize.yaml"
    path.write_text(path.read_text().replace("backlog_per_replica: 8", "backlog_per_replica: 16"))
    was = read(at_revision(inputs(repository), "HEAD"), ("dev",), TODAY)
    assert isinstance(was, ValidSpecs)
    assert was.one().spec.scaling.backlog_per_replica == 8
    assert specs(repository).one().spec.scaling.backlog_per_replica == 16


def test_what_git_does_not_know_is_told(repository: Path, git: Callable[..., None]) -> None:
    """No repository, no such revision, and a revision without the file."""
    with pytest.raises(CannotGoOn, match="`main` is no file, and no revision that git knows here"):
        at_revision(inputs(repository), "main")
    git("init")
    git("add", "penstock.yaml")
    git("commit", "-m", "before")
    with pytest.raises(CannotGoOn, match="`v9` is no file, and no revision that git knows here") as refused:
        at_revision(inputs(repository), "v9")
    assert refused.value.hint == "name a spec, a branch, a tag or a commit"
    with pytest.raises(CannotGoOn, match=r"`specs/resize.yaml` was not there in `HEAD`") as refused:
        at_revision(inputs(repository), "HEAD")
    assert refused.value.hint == "name a revision that has it"


def test_without_git_it_is_said_what_to_do(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository))
    with pytest.raises(CannotGoOn, match="git cannot be run: No such file or directory") as refused:
        at_revision(inputs(repository), "HEAD")
    assert refused.value.hint == "install git, or name a spec's file"
