"""`penstock show` prints every value and its source."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def layered(repository: Path) -> None:
    """A spec and a platform file with a value from each layer."""
    spec = repository / "specs" / "media-cluster.yaml"
    spec.write_text(spec.read_text() + "work: {concurrency: 8}\nenvironments:\n  dev: {work.timeout: 20s}\n")
    platform = repository / "penstock.yaml"
    platform.write_text(platform.read_text() + "defaults:\n  work.block: 4s\n  work.concurrency: 99\n")


@pytest.mark.usefixtures("repository")
def test_each_value_has_its_source(penstock: Run) -> None:
    shown = penstock("show", "media-cluster", "--env", "dev").out
    sources = {line.split("#")[0].strip(): line.split("# ")[-1] for line in shown.splitlines() if "# " in line}
    assert sources["concurrency: 8"] == "specs/media-cluster.yaml:6:21"
    assert sources["timeout: 20s"] == "specs/media-cluster.yaml:8:23 (dev)"
    assert sources["block: 4s"] == "penstock.yaml:6:15"
    assert sources["key: streams:media-cluster"] == "derived"
    assert sources["lease: 30s"] == "default"


@pytest.mark.usefixtures("repository")
def test_json_has_the_same_sources(penstock: Run) -> None:
    document = json.loads(penstock("show", "media-cluster", "--env", "dev", "--json").out)
    values = {one["path"]: one for one in document["values"]}
    assert values["work.timeout"] == {
        "path": "work.timeout",
        "value": "20s",
        "source": "environment",
        "at": {"file": "specs/media-cluster.yaml", "line": 8, "column": 23},
    }
    assert values["work.lease"]["at"] is None


def test_the_output_is_an_equivalent_spec(repository: Path, penstock: Run) -> None:
    shown = penstock("show", "media-cluster", "--env", "dev", "--plain").out
    (repository / "specs" / "media-cluster.yaml").write_text(shown)
    assert penstock("lint", "--env", "dev").code == 0
    assert penstock("show", "media-cluster", "--env", "dev", "--plain").out == shown


def test_a_spec_with_errors_shows_its_errors(repository: Path, penstock: Run) -> None:
    spec = repository / "specs" / "media-cluster.yaml"
    spec.write_text(spec.read_text() + "shutdown: {grace: 20s}\n")
    ran = penstock("show", "media-cluster", "--env", "dev")
    assert ran.code == 1
    assert "error[grace-shorter-than-timeout]" in ran.out


@pytest.mark.usefixtures("repository")
def test_it_asks_for_one_of_several_environments(penstock: Run) -> None:
    ran = penstock("show", "media-cluster")
    assert ran.code == 2
    assert "`dev`, `production`" in ran.err
