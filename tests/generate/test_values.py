"""The generated chart and a spec's values for it, as far as they can be checked without helm."""

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


def test_the_schema_accepts_all_generated_values(root: Path, schema: dict[str, Any]) -> None:
    files = sorted((root / "generated").glob("*/[!_]*/values.yaml"))
    assert len(files) == 12
    validator = jsonschema_rs.Draft7Validator(schema)
    for file in files:
        validator.validate(yaml.safe_load(file.read_text()))


def test_values_contain_the_worker_file(root: Path) -> None:
    for file in (root / "generated").glob("*/[!_]*/values.yaml"):
        assert yaml.safe_load(file.read_text())["workerFile"] == file.with_name("worker.json").read_text()


def test_the_schema_is_closed(schema: dict[str, Any]) -> None:
    """A misspelt name is refused, except in the ScaledObject, which KEDA's own schema checks."""

    def open_ones(at: str, one: object) -> list[str]:
        if not isinstance(one, dict):
            return []
        below = [path for key, inner in one.items() for path in open_ones(f"{at}/{key}", inner)]
        return below if "properties" not in one or one.get("additionalProperties") is False else [at, *below]

    assert open_ones("", schema) == ["/properties/scaledObject/properties/spec"]


def test_the_schema_lists_the_objects_that_a_spec_may_patch(schema: dict[str, Any]) -> None:
    patch = schema["properties"]["patches"]["items"]["properties"]
    assert set(patch["target"]["enum"]) == set(get_args(PATCHABLE))


def test_defaults_match_those_of_a_spec(root: Path) -> None:
    defaults = yaml.safe_load((root / "templates/chart/values.yaml").read_text())
    assert defaults["resources"] == {"cpu": str(Resources().cpu), "memory": str(Resources().memory)}
    assert defaults["graceSeconds"] * 1000 == PipelineShutdown().grace.amount


def test_the_chart_has_the_version_of_the_package(root: Path, penstock: Run) -> None:
    chart = yaml.safe_load((root / "templates/chart/Chart.yaml").read_text())
    assert penstock("--version").stdout == f"penstock {chart['version']}\n"
    assert chart["appVersion"] == chart["version"]


def test_the_chart_is_copied(root: Path, repository: Path, penstock: Run) -> None:
    """Byte by byte, without a header: Helm would write that into every object."""
    assert penstock("generate").returncode == 0
    made = contents(repository / "generated/chart")
    assert made.pop("FILES")
    assert made == contents(root / "templates/chart")


def test_a_repositorys_own_chart_file_is_copied_instead(repository: Path, penstock: Run) -> None:
    """Helm renders it, so its content is not checked."""
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


def test_a_chart_file_that_is_not_utf8_is_refused(repository: Path, penstock: Run) -> None:
    own = repository / "templates/chart/Chart.yaml"
    own.parent.mkdir(parents=True)
    own.write_bytes(b"\xff")
    ran = penstock("generate")
    assert ran.returncode == 2
    assert "templates/chart/Chart.yaml: this is not UTF-8" in ran.stderr
    assert "Traceback" not in ran.stderr
