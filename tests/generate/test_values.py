"""The chart as it is emitted, and a pipeline's values for it, as far as they can be looked at without helm."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, get_args

import jsonschema_rs
import pytest
import yaml

from penstock_spec.kinds.pipeline.scaling import PipelineShutdown
from penstock_spec.pods import Resources
from penstock_spec.sections import PATCHABLE

Run = Callable[..., CompletedProcess[str]]


@pytest.fixture(scope="module")
def schema(root: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((root / "templates/chart/values.schema.json").read_text())
    return loaded


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_schema_takes_what_is_generated(root: Path, schema: dict[str, Any]) -> None:
    found = sorted((root / "generated").glob("*/[!_]*/values.yaml"))
    assert len(found) == 12
    takes = jsonschema_rs.Draft7Validator(schema)
    for file in found:
        takes.validate(yaml.safe_load(file.read_text()))


def test_pods_read_the_same_text(root: Path) -> None:
    for file in (root / "generated").glob("*/[!_]*/values.yaml"):
        assert yaml.safe_load(file.read_text())["workerFile"] == file.with_name("worker.json").read_text()


def test_the_schema_is_closed(schema: dict[str, Any]) -> None:
    """A word that is misspelt is refused, but in what KEDA reads and the schema of its own resource closes."""

    def open_ones(at: str, one: object) -> list[str]:
        if not isinstance(one, dict):
            return []
        below = [found for key, inner in one.items() for found in open_ones(f"{at}/{key}", inner)]
        return below if "properties" not in one or one.get("additionalProperties") is False else [at, *below]

    assert open_ones("", schema) == ["/properties/scaledObject/properties/spec"]


def test_the_schema_knows_what_a_spec_may_patch(schema: dict[str, Any]) -> None:
    patch = schema["properties"]["patches"]["items"]["properties"]
    assert set(patch["target"]["enum"]) == set(get_args(PATCHABLE))


def test_defaults_are_those_of_a_spec(root: Path) -> None:
    said = yaml.safe_load((root / "templates/chart/values.yaml").read_text())
    assert said["resources"] == {"cpu": str(Resources().cpu), "memory": str(Resources().memory)}
    assert said["graceSeconds"] * 1000 == PipelineShutdown().grace.amount


def test_it_has_the_version_of_the_package(root: Path, penstock: Run) -> None:
    told = yaml.safe_load((root / "templates/chart/Chart.yaml").read_text())
    assert penstock("--version").stdout == f"penstock {told['version']}\n"
    assert told["appVersion"] == told["version"]


def test_the_chart_is_copied(root: Path, repository: Path, penstock: Run) -> None:
    """Byte by byte, without a heading: whatever stands in a template of Helm's goes into every object."""
    assert penstock("generate").returncode == 0
    made = contents(repository / "generated/chart")
    assert made.pop("FILES")
    assert made == contents(root / "templates/chart")


def test_a_file_of_the_repositorys_own_is_copied_instead(repository: Path, penstock: Run) -> None:
    """It is Helm's, and means nothing to the templates of manifests."""
    assert penstock("generate").returncode == 0
    before = contents(repository / "generated")
    own = repository / "templates/chart/templates/podmonitor.yaml"
    own.parent.mkdir(parents=True)
    own.write_bytes(b"{{- /* {% we need {{ none */}}\r\n")
    assert penstock("generate").returncode == 0
    after = contents(repository / "generated")
    changed = {path for path in before if before[path] != after[path]}
    assert changed == {"chart/FILES", "chart/templates/podmonitor.yaml"}
    assert after["chart/templates/podmonitor.yaml"] == own.read_bytes()


def test_a_file_that_is_no_text(repository: Path, penstock: Run) -> None:
    own = repository / "templates/chart/Chart.yaml"
    own.parent.mkdir(parents=True)
    own.write_bytes(b"\xff")
    ran = penstock("generate")
    assert ran.returncode == 2
    assert "templates/chart/Chart.yaml: this is not UTF-8" in ran.stderr
    assert "Traceback" not in ran.stderr
