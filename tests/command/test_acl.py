"""`penstock acl` needs an environment, and warns when it prints fewer rights than the repository needs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

NOTE = "leave SPEC out to print them"


@pytest.mark.usefixtures("repository")
def test_a_variable_may_name_the_environment(penstock: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for every verb."""
    assert penstock("acl").code == 2
    monkeypatch.setenv("PENSTOCK_ENV", "dev")
    assert penstock("acl").code == 0


def test_it_warns_if_specs_are_left_out(repository: Path, penstock: Run) -> None:
    """A janitor or operator of one of two pipelines would have too few rights."""
    command = ("acl", "--env", "dev", "--role")
    assert penstock(*command, "janitor", "media-cluster").err == ""
    spec = (repository / "specs" / "media-cluster.yaml").read_text()
    (repository / "specs" / "other.yaml").write_text(spec.replace("media-cluster", "other"))
    for role in ("janitor", "operator"):
        assert NOTE in penstock(*command, role, "media-cluster").err
        assert penstock(*command, role, "media-cluster", "specs/other.yaml").err == ""
        assert penstock(*command, role).err == ""
    assert penstock(*command, "worker", "media-cluster").err == ""
