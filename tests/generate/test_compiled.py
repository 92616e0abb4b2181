"""Templates of ours are compiled once, and what was compiled from something else is never used."""

import os
import shutil
import sys
from pathlib import Path

import jinja2
import pytest

from penstock_generate.rendering.bytecode import TemplateCache

NAME = "pets/dog.txt.j2"


@pytest.fixture
def templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    folder = tmp_path / "installed/templates"
    (folder / "pets").mkdir(parents=True)
    (folder / NAME).write_text("a {{ dog }}")
    (tmp_path / "compiler.py").touch()
    return folder


def kept(folder: Path) -> list[Path]:
    return [*folder.parent.rglob("*.j2c")]


def rendered(folder: Path, *overrides: Path) -> str:
    compiled = TemplateCache(folder, folder.parents[1] / "compiler.py")
    environment = jinja2.Environment(  # noqa: S701 - no HTML
        loader=jinja2.FileSystemLoader([*overrides, folder]), bytecode_cache=compiled
    )
    return environment.get_template(NAME).render(dog="dog")


def poison(folder: Path) -> None:
    """What is kept gives another text than its source, so that it tells on itself when it is used."""
    [file] = kept(folder)
    file.write_bytes(file.read_bytes().replace(b"\x02a ", b"\x02b "))


def test_it_is_compiled_once(templates: Path) -> None:
    assert rendered(templates) == "a dog"
    poison(templates)
    assert rendered(templates) == "b dog"


def test_another_source_is_compiled_anew(templates: Path) -> None:
    rendered(templates)
    poison(templates)
    (templates / NAME).write_text("the {{ dog }}")
    assert rendered(templates) == "the dog"


def test_another_compiler_compiles_anew(templates: Path) -> None:
    rendered(templates)
    poison(templates)
    os.utime(templates.parents[1] / "compiler.py", ns=(1, 1))
    assert rendered(templates) == "a dog"


@pytest.mark.parametrize("left", [0, 10, 30, 60])
def test_what_is_broken_is_compiled_anew(templates: Path, left: int) -> None:
    """A disk was full, or somebody else's program wrote there."""
    rendered(templates)
    [file] = kept(templates)
    file.write_bytes(file.read_bytes()[:left])
    assert rendered(templates) == "a dog"
    poison(templates)
    assert rendered(templates) == "b dog"


def test_a_repositorys_own_is_not_kept(templates: Path, tmp_path: Path) -> None:
    """What a pull request brings shall not lie where it is run without being read."""
    shutil.copytree(templates, tmp_path / "own")
    assert rendered(templates, tmp_path / "own") == "a dog"
    assert not kept(templates)


def test_a_folder_that_cannot_be_written(templates: Path) -> None:
    """As that of a package which somebody else installed."""
    (templates.parent / "__pycache__").write_text("in the way")
    assert rendered(templates) == "a dog"
    assert not kept(templates)


def test_nobody_wants_compiled_files(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered(templates) == "a dog"
    assert not kept(templates)
