"""The committed pages are those that `make generate` writes."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def generate(root: Path) -> ModuleType:
    """tools/generate.py, in this process."""
    spec = importlib.util.spec_from_file_location("generate", root / "tools/generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def generated(generate: ModuleType) -> dict[str, str]:
    """All generated files, by path."""
    files = generate.everything()
    assert isinstance(files, dict)
    return files


def test_committed_pages_are_up_to_date(generate: ModuleType, generated: dict[str, str], root: Path) -> None:
    """`make check` reports nothing."""
    assert generate.compare(root, generated).summary() == ""


def test_writing_twice_changes_nothing(generate: ModuleType, generated: dict[str, str], tmp_path: Path) -> None:
    """The second run writes no file."""
    generate.write(tmp_path, generated)
    assert generate.write(tmp_path, generated).summary() == ""
    assert generate.everything() == generated


def test_all_differences_are_reported(generate: ModuleType, generated: dict[str, str], tmp_path: Path) -> None:
    """The report names missing, outdated and leftover files, and writing fixes them."""
    generate.write(tmp_path, generated)
    (tmp_path / "docs/rules/README.md").unlink()
    (tmp_path / "docs/reference/pipeline.md").write_text("old\n")
    (tmp_path / "docs/reference/notes.md").write_text("not generated\n")
    (tmp_path / "docs/rules/gone.md").write_text("{}\n")

    differences = generate.compare(tmp_path, generated).summary()
    generate.write(tmp_path, generated)

    assert differences == (
        "missing: `docs/rules/README.md`; out of date: `docs/reference/pipeline.md`; left over: `docs/rules/gone.md`"
    )
    assert generate.compare(tmp_path, generated).summary() == ""
    assert (tmp_path / "docs/reference/notes.md").is_file()


def test_every_relative_link_has_a_target(generated: dict[str, str], root: Path) -> None:
    """In generated and in hand-written pages."""
    pages = [root / "README.md", root / "ARCHITECTURE.md", *(root / "docs").rglob("*.md")]
    written = {page.relative_to(root).as_posix(): page.read_text() for page in pages}
    broken = [
        f"{name}: {link}"
        for name, text in (written | generated).items()
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
        if name.endswith(".md") and not (root / name).parent.joinpath(link).exists()
    ]
    assert broken == []


def test_the_index_links_to_every_reference_page(generated: dict[str, str], root: Path) -> None:
    """Rules have an index of their own."""
    index = (root / "docs/README.md").read_text()
    pages = {name.removeprefix("docs/") for name in generated if name.startswith("docs/reference/")}
    pages.add("rules/README.md")
    assert {page for page in pages if f"]({page})" not in index} == set()
