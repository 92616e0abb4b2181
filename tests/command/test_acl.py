"""`penstock acl` says for which environment it speaks, and when it speaks of less than all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

NOTE = "leave SPEC out to print them"


@pytest.mark.usefixtures("repository")
def test_the_environment_may_be_named_by_a_variable(penstock: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for every verb."""
    assert penstock("acl").code == 2
    monkeypatch.setenv("PENSTOCK_ENV", "dev")
    assert penstock("acl").code == 0


def test_a_note_asks_for_all_specs_if_some_are_left_out(repository: Path, penstock: Run) -> None:
    """A janitor that knows one of two pipelines has too few rights; one that is told of both has all."""
    words = ("acl", "--env", "dev", "--role")
    assert penstock(*words, "janitor", "media-cluster").err == ""
    spec = (repository / "specs" / "media-cluster.yaml").read_text()
    (repository / "specs" / "other.yaml").write_text(spec.replace("media-cluster", "other"))
    for role in ("janitor", "operator"):
        assert NOTE in penstock(*words, role, "media-cluster").err
        assert penstock(*words, role, "media-cluster", "specs/other.yaml").err == ""
        assert penstock(*words, role).err == ""
    assert penstock(*words, "worker", "media-cluster").err == ""
