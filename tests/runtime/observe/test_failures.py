"""A failure is told by its type and its place."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from penstock.observe import failures
from penstock.observe.failures import failure


def _fail(text: str) -> None:
    json.loads(text)


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package of a team, with code in its `__init__` and in a module, each of which calls a library that fails."""
    name = "pets_of_a_team"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("import json\n\ndef inside(text):\n    json.loads(text)\n")
    (tmp_path / name / "cats.py").write_text("import json\n\n\ndef handle(text):\n    json.loads(text)\n")
    monkeypatch.syspath_prepend(tmp_path)
    return name


@pytest.mark.parametrize(
    ("module", "function", "at"),
    [("", "inside", "pets_of_a_team/__init__.py:4"), (".cats", "handle", "pets_of_a_team/cats.py:5")],
)
def test_the_place_is_the_innermost_in_the_teams_package(team: str, module: str, function: str, at: str) -> None:
    """As it stands in their repository, wherever that lies; not in the library that they called."""
    call = getattr(importlib.import_module(team + module), function)
    with pytest.raises(ValueError, match="Expecting") as raised:
        call("{secret")
    assert failure(raised.value, team).at == at
    assert str(failure(raised.value, team)) == f"json.decoder.JSONDecodeError at {at}"


def test_without_a_package_it_is_the_innermost_of_all() -> None:
    """That is somebody's own code; else that is not the runtime's own, where there is one."""
    with pytest.raises(ValueError, match="Expecting") as raised:
        _fail("{secret")
    assert failure(raised.value).at.partition(":")[0].endswith("test_failures.py")
    with pytest.raises(ValueError, match="Expecting") as libraries:
        json.loads("{secret")
    assert libraries.tb.tb_next
    assert failure(libraries.value.with_traceback(libraries.tb.tb_next)).at.startswith("json/decoder.py:")
    with pytest.raises(AttributeError) as ours:
        failures.failure(None)  # type: ignore[arg-type] # it fails in there
    ours.value.__traceback__ = ours.value.__traceback__ and ours.value.__traceback__.tb_next
    assert failure(ours.value).at.startswith("penstock/observe/failures.py:")


def test_an_exception_that_was_never_raised_has_no_place() -> None:
    """Only a type; a builtin's without its module."""
    assert str(failure(KeyError("secret"))) == "KeyError"
