"""Specs with other values, and at git revisions."""

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
    result = read(inputs(folder), (environment,), TODAY)
    assert isinstance(result, ValidSpecs)
    return result


def tried(folder: Path, environment: str, field: str, value: object) -> Pipeline:
    result = with_value(specs(folder, environment), steps(field), value)
    assert isinstance(result, SpecContext), result
    return result.spec


def test_one_field_changes_and_no_other(repository: Path) -> None:
    spec = tried(repository, "production", "scaling.backlog_per_replica", 32)
    before = specs(repository).one().spec
    scaling = before.scaling.model_copy(update={"backlog_per_replica": 32})
    assert spec == before.model_copy(update={"scaling": scaling})


def test_an_override_of_the_environment_gets_the_value(repository: Path) -> None:
    """Otherwise the override would hide it."""
    assert tried(repository, "dev", "scaling.replicas.max", 5).scaling.replicas.max == 5


def test_a_field_in_an_overridden_section_is_changed_there(repository: Path) -> None:
    path = repository / "specs/resize.yaml"
    path.write_text(path.read_text() + "  production: {scaling.boost: {when_older_than: 30s}}\n")
    spec = tried(repository, "production", "scaling.boost.factor", 3)
    assert spec.scaling.boost
    assert (spec.scaling.boost.factor, str(spec.scaling.boost.when_older_than)) == (3, "30s")


def test_a_refused_value_names_its_rule(repository: Path) -> None:
    """So does a value of the wrong type."""
    for field, value, rule in (
        ("scaling.replicas.min", 21, "min-above-max"),
        ("scaling.replicas.max", "many", "wrong-type"),
    ):
        result = with_value(specs(repository), steps(field), value)
        assert isinstance(result, tuple)
        assert [one.rule for one in result] == [rule]


def test_specs_with_errors_are_not_simulated(repository: Path) -> None:
    path = repository / "specs/resize.yaml"
    path.write_text(path.read_text().replace("owner", "owners"))
    result = read(inputs(repository), (), TODAY)
    assert isinstance(result, InvalidSpecs)
    assert result.outcome.findings


def test_a_spec_is_read_from_a_git_revision(repository: Path, git: Callable[..., None]) -> None:
    """With the platform file of that revision, although both have changed since."""
    git("init")
    git("add", ".")
    git("commit", "-m", "before")
    path = repository / "specs/resize.yaml"
    path.write_text(path.read_text().replace("backlog_per_replica: 8", "backlog_per_replica: 16"))
    was = read(at_revision(inputs(repository), "HEAD"), ("dev",), TODAY)
    assert isinstance(was, ValidSpecs)
    assert was.one().spec.scaling.backlog_per_replica == 8
    assert specs(repository).one().spec.scaling.backlog_per_replica == 16


def test_an_unknown_revision_is_refused(repository: Path, git: Callable[..., None]) -> None:
    """No git repository, no such revision, and a revision without the file."""
    with pytest.raises(CannotGoOn, match="`main` is neither a file nor a git revision"):
        at_revision(inputs(repository), "main")
    git("init")
    git("add", "penstock.yaml")
    git("commit", "-m", "before")
    with pytest.raises(CannotGoOn, match="`v9` is neither a file nor a git revision") as refused:
        at_revision(inputs(repository), "v9")
    assert refused.value.hint == "name a spec, a branch, a tag or a commit"
    with pytest.raises(CannotGoOn, match=r"`specs/resize.yaml` does not exist in `HEAD`") as refused:
        at_revision(inputs(repository), "HEAD")
    assert refused.value.hint == "name a revision that has it"


def test_a_missing_git_has_a_hint(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository))
    with pytest.raises(CannotGoOn, match="cannot run git: No such file or directory") as refused:
        at_revision(inputs(repository), "HEAD")
    assert refused.value.hint == "install git, or name a spec's file"
