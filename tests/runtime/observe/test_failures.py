"""A failure is reported by its type and its place, without its text."""

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
    """A team's package with two functions, in `__init__` and in a module, that call a failing library."""
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
    """A path within their repository, not in the library that they called."""
    call = getattr(importlib.import_module(team + module), function)
    with pytest.raises(ValueError, match="Expecting") as raised:
        call("{secret")
    assert failure(raised.value, team).at == at
    assert str(failure(raised.value, team)) == f"json.decoder.JSONDecodeError at {at}"


def test_without_a_package_the_place_is_the_innermost_outside_libraries() -> None:
    """Otherwise the innermost outside the runtime, if there is one."""
    with pytest.raises(ValueError, match="Expecting") as raised:
        _fail("{secret")
    assert failure(raised.value).at.partition(":")[0].endswith("test_failures.py")
    with pytest.raises(ValueError, match="Expecting") as in_library:
        json.loads("{secret")
    assert in_library.tb.tb_next
    assert failure(in_library.value.with_traceback(in_library.tb.tb_next)).at.startswith("json/decoder.py:")
    with pytest.raises(AttributeError) as in_runtime:
        failures.failure(None)  # type: ignore[arg-type] # it fails in there
    in_runtime.value.__traceback__ = in_runtime.value.__traceback__ and in_runtime.value.__traceback__.tb_next
    assert failure(in_runtime.value).at.startswith("penstock/observe/failures.py:")


def test_an_exception_that_was_never_raised_has_no_place() -> None:
    """Only a type, and a built-in type without its module."""
    assert str(failure(KeyError("secret"))) == "KeyError"
