"""The page of artifacts lists every generated file, and each field changes exactly the files that it names."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from penstock_generate.explaining.affected_files import AffectedFiles, field_at
from penstock_generate.inputs.source import Source
from penstock_spec.fields import fields_of, known_paths
from penstock_spec.kinds import kinds
from penstock_spec.kinds.pipeline import Pipeline

ROW = re.compile(r"^\| (?P<fields>`[^|]+) \| (?P<pods>yes|no) \| (?P<files>[^|]+) \|$", re.MULTILINE)
NAME = re.compile(r"`([^`]+)`")
UNTRIED = {"pipeline": {"kind", "environments", "message.schema.file"}, "scheduler": {"kind", "environments"}}
"""`kind` makes another spec; a resolved spec has no overrides; there is no second schema file."""


@pytest.fixture(scope="module")
def artifacts(root: Path) -> ModuleType:
    """tools/artifacts.py, in this process."""
    spec = importlib.util.spec_from_file_location("artifacts", root / "tools/artifacts.py")
    assert spec
    assert spec.loader
    module = sys.modules["artifacts"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def source(root: Path, artifacts: ModuleType) -> Source:
    specs = artifacts.source_of(root)
    assert isinstance(specs, Source)
    return specs


@pytest.fixture(scope="module", params=sorted(kinds()))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def reached(root: Path, artifacts: ModuleType, source: Source, kind: str) -> AffectedFiles:
    files: AffectedFiles = artifacts.fields(root, source, kind)
    return files


def test_the_catalogues_list_exactly_the_generated_files(artifacts: ModuleType, source: Source) -> None:
    """No file is missing, left over or listed twice."""
    made = artifacts.made(source)
    listed = {whose: [path for one in known for path in one.paths] for whose, known in artifacts.catalogues().items()}
    assert {whose: sorted(files) for whose, files in made.items()} == {
        whose: sorted(all_) for whose, all_ in listed.items()
    }


def test_every_field_is_tried(kind: str, reached: AffectedFiles) -> None:
    """Every field with a value of its own."""
    paths = {one.path for one in fields_of(kinds()[kind].model)}
    inner = {path for path in paths if not any(other.startswith((f"{path}.", f"{path}[]")) for other in paths)}
    assert inner - reached.keys() == UNTRIED[kind]
    assert reached.keys() <= paths


def test_each_field_changes_the_files_on_the_page(
    root: Path, artifacts: ModuleType, kind: str, reached: AffectedFiles
) -> None:
    """Exactly these files."""
    text = (root / artifacts.PAGE).read_text(encoding="utf-8")
    page = text.partition(f"\n### Of a {kind}\n")[2].partition("\n### ")[0]
    on_page = {
        field: (row["pods"] == "yes", set(NAME.findall(row["files"])))
        for row in ROW.finditer(page)
        for field in NAME.findall(row["fields"])
    }
    assert on_page == {
        field: (artifacts.DEPLOYMENT in files, set(artifacts.shown(files, kind)))
        for field, files in reached.items()
        if files
    }
    assert set(NAME.findall(page.rpartition("\nNo file changes with ")[2])) == {
        field for field, files in reached.items() if not files
    }


def test_omitted_files_follow_from_the_rules_above_the_table(
    artifacts: ModuleType, kind: str, reached: AffectedFiles
) -> None:
    """Files that repeat others change with them; a patch of only one of them is in the table."""
    same = {path: one.same_as for one in artifacts.catalogue_of(kind) for path in one.paths if one.same_as}
    of_janitor = {f"_environment/{artifacts.DEPLOYMENT}"} if kind == "pipeline" else set()
    deployments = {artifacts.DEPLOYMENT} | of_janitor
    for field, files in reached.items():
        assert {name for name, other in same.items() if other in files} <= files, field
        assert deployments <= files or artifacts.WORKER not in files, field
        assert (artifacts.VALUES in files) == any(name.startswith("manifests/") for name in files), field


def test_fields_for_people_change_no_file(kind: str, reached: AffectedFiles) -> None:
    """Reasons, dates and expectations restart no pod."""
    sections = ("expect[].", "acknowledge[].", "suppress[].")
    idle = {field for field, files in reached.items() if not files}
    assert idle == {path for path in known_paths(kinds()[kind].model) if path.startswith(sections)} - {
        "expect[].traffic"
    } | {"patches[].reason"}


def test_scaling_restarts_no_pod(artifacts: ModuleType, kind: str, reached: AffectedFiles) -> None:
    """Except `protect_busy`, which workers read."""
    restarting = {one for one, files in reached.items() if one.startswith("scaling.") and artifacts.WORKER in files}
    assert restarting == ({"scaling.protect_busy"} if kind == "pipeline" else set())
    assert artifacts.WORKER not in reached.get("replicas", ())


@pytest.mark.parametrize(
    ("path", "field"),
    [
        (("work", "timeout"), "work.timeout"),
        (("message", "log_fields", 1), "message.log_fields"),
        (("retries", "classes", "forbidden", "match", 0), "retries.classes.*.match"),
        (("patches", 0, "value", "disk"), "patches[].value"),
        (("message", "schema", "properties", "file"), "message.schema"),
    ],
)
def test_a_path_belongs_to_a_field(path: tuple[str | int, ...], field: str) -> None:
    assert field_at(Pipeline, path) == field
