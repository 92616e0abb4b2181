"""Pictures in the docs show the content of files, and change with it."""

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest


def load(root: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, root / f"tools/{name}.py")
    assert spec
    assert spec.loader
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # dataclasses look the module up there
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """The files that pictures are drawn from."""
    shutil.copytree(root / "generated/production/media-cluster", tmp_path / "generated/production/media-cluster")
    for file in ("specs/media-cluster.yaml", "docs/explanation/states.md"):
        (tmp_path / file).parent.mkdir(parents=True)
        shutil.copy(root / file, tmp_path / file)
    return tmp_path


@pytest.mark.parametrize("name", ["picture", "states"])
def test_a_picture_is_a_self_contained_svg(root: Path, name: str) -> None:
    """Valid XML without external fonts, images or scripts."""
    [picture] = load(root, name).pages(root).values()
    tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(picture).iter()}  # noqa: S314 - drawn above
    assert tags <= {"svg", "style", "rect", "text", "tspan", "path", "marker"}
    assert "url(http" not in picture
    assert "@import" not in picture


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("specs/media-cluster.yaml", "max: 20", "max: 30"),
        ("generated/production/media-cluster/rules.yaml", "`scaling.replicas.max` is 20", "it is full"),
        ("generated/production/media-cluster/worker.json", '"timeout": "60s"', '"timeout": "61s"'),
    ],
)
def test_a_picture_with_outdated_lines_is_refused(root: Path, copy: Path, file: str, old: str, new: str) -> None:
    """Every line of the picture is in a file; the error names the file that lacks it."""
    (copy / file).write_text((copy / file).read_text().replace(old, new))
    with pytest.raises(ValueError, match=f"{Path(file).name} has no"):
        load(root, "picture").pages(copy)


def test_the_picture_of_states_shows_the_diagram_of_the_page(root: Path, copy: Path) -> None:
    """A changed label is drawn; a state without a place is reported."""
    page = copy / "docs/explanation/states.md"
    page.write_text(page.read_text().replace("running --> done: settle", "running --> done: finish"))
    [picture] = load(root, "states").pages(copy).values()
    assert ">finish</text>" in picture
    page.write_text(page.read_text().replace("running --> parked", "running --> forgotten"))
    with pytest.raises(ValueError, match=r"other states than tools/states\.py: .*'forgotten'"):
        load(root, "states").pages(copy)
