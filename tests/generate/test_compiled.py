"""Built-in templates are compiled once, and an outdated compiled template is never used."""

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


def compiled_files(folder: Path) -> list[Path]:
    return [*folder.parent.rglob("*.j2c")]


def rendered(folder: Path, *overrides: Path) -> str:
    compiled = TemplateCache(folder, folder.parents[1] / "compiler.py")
    environment = jinja2.Environment(  # noqa: S701 - no HTML
        loader=jinja2.FileSystemLoader([*overrides, folder]), bytecode_cache=compiled
    )
    return environment.get_template(NAME).render(dog="dog")


def poison(folder: Path) -> None:
    """Change the compiled template, so that its use shows in the text."""
    [file] = compiled_files(folder)
    file.write_bytes(file.read_bytes().replace(b"\x02a ", b"\x02b "))


def test_a_template_is_compiled_once(templates: Path) -> None:
    assert rendered(templates) == "a dog"
    poison(templates)
    assert rendered(templates) == "b dog"


def test_a_changed_source_is_compiled_again(templates: Path) -> None:
    rendered(templates)
    poison(templates)
    (templates / NAME).write_text("the {{ dog }}")
    assert rendered(templates) == "the dog"


def test_a_changed_compiler_compiles_again(templates: Path) -> None:
    rendered(templates)
    poison(templates)
    os.utime(templates.parents[1] / "compiler.py", ns=(1, 1))
    assert rendered(templates) == "a dog"


@pytest.mark.parametrize("left", [0, 10, 30, 60])
def test_a_damaged_file_is_compiled_again(templates: Path, left: int) -> None:
    """The disk was full, or another program wrote there."""
    rendered(templates)
    [file] = compiled_files(templates)
    file.write_bytes(file.read_bytes()[:left])
    assert rendered(templates) == "a dog"
    poison(templates)
    assert rendered(templates) == "b dog"


def test_a_repositorys_own_template_is_not_cached(templates: Path, tmp_path: Path) -> None:
    """A pull request must not leave compiled code that later runs execute."""
    shutil.copytree(templates, tmp_path / "own")
    assert rendered(templates, tmp_path / "own") == "a dog"
    assert not compiled_files(templates)


def test_a_read_only_folder_is_no_error(templates: Path) -> None:
    """Such as that of a package that another user installed."""
    (templates.parent / "__pycache__").write_text("in the way")
    assert rendered(templates) == "a dog"
    assert not compiled_files(templates)


def test_no_compiled_file_is_written_if_python_writes_none(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered(templates) == "a dog"
    assert not compiled_files(templates)
