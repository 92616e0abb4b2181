"""The site of the docs: every page is in the navigation, every link works, and nothing is loaded from other hosts."""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from mkdocs.exceptions import PluginError

Build = Callable[..., subprocess.CompletedProcess[str]]

INDEX = "# The docs\n\n## Tutorial\n\n- [Ten minutes](tutorial.md)\n"


def built(folder: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """Build a site like `make site`."""
    command = [str(Path(sys.executable).parent / "mkdocs"), "build", "--strict", "--site-dir", str(target)]
    environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site_of_docs(root: Path) -> ModuleType:
    """The hooks of the builder."""
    spec = importlib.util.spec_from_file_location("site_of_docs", root / "tools/site_of_docs.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def build(root: Path, tmp_path: Path) -> Build:
    """A site of two pages."""
    (tmp_path / "tools").mkdir()
    shutil.copy(root / "mkdocs.yml", tmp_path)
    shutil.copy(root / "tools/site_of_docs.py", tmp_path / "tools")

    def build(tutorial: str, **others: str) -> subprocess.CompletedProcess[str]:
        for name, text in {"docs/README.md": INDEX, "docs/tutorial.md": tutorial, **others}.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
        return built(tmp_path, tmp_path / "site")

    return build


def pages_of(nav: list[Any]) -> Iterator[str]:
    for entry in nav:
        if isinstance(entry, str):
            yield entry
        else:
            [below] = entry.values()
            yield from pages_of(below)


def test_every_page_is_in_the_navigation_once(root: Path, site_of_docs: ModuleType) -> None:
    """Including the pages of all rules."""
    listed = Counter(pages_of(site_of_docs.navigation(root)))
    there = {path.relative_to(root / "docs").as_posix() for path in root.glob("docs/**/*.md")}
    assert listed == Counter(there | {page for page in listed if page.startswith("repository/")})


def test_the_site_is_built(root: Path, tmp_path: Path) -> None:
    """Strictly, with the linked files outside docs/."""
    result = built(root, tmp_path / "site")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "site/rules/no-fallback.html").is_file()
    assert 'src="../pictures/states.svg"' in (tmp_path / "site/explanation/states.html").read_text()
    assert (tmp_path / "site/repository/ARCHITECTURE.html").is_file()
    assert (tmp_path / "site/repository/generated/schemas/pipeline.schema.json").is_file()


@pytest.mark.parametrize(
    ("tutorial", "message"),
    [
        ("# Ten\n\n[away](nowhere.md)\n", "nowhere.md"),
        ("# Ten\n\n[away](README.md#nothing)\n", "does not contain an anchor '#nothing'"),
        ("# Ten\n\n[away](../NOWHERE.md)\n", "../NOWHERE.md"),
        ("# Ten\n\n[away](../LICENSE.md#nothing)\n", "does not contain an anchor '#nothing'"),
        ("# Ten\n\n![it](https://pictures.example/it.svg)\n", "loads from another host"),
        ("# Ten\n\n```mermaid\na --> b\n```\n", "tutorial.md has a diagram"),
    ],
    ids=["page", "anchor", "outside", "anchor outside", "picture", "diagram"],
)
def test_a_broken_link_fails(build: Build, tutorial: str, message: str) -> None:
    """With its name."""
    result = build(tutorial, **{"LICENSE.md": "# Licence\n"})
    assert result.returncode != 0
    assert message in result.stderr


def test_an_unlisted_page_fails(build: Build) -> None:
    """docs/README.md must list it."""
    result = build("# Ten\n", **{"docs/lost.md": "# Lost\n"})
    assert result.returncode != 0
    assert "lost.md" in result.stderr


def test_linked_files_are_added_to_the_site(build: Build, tmp_path: Path) -> None:
    """Pages with their own links, other files as code, folders as lists. Links in code blocks are ignored."""
    result = build(
        "# Ten\n\n[house](../HOUSE.md#the-door), [code](../tools/site_of_docs.py), [all](../tools)\n\n"
        "```text\n[x](../HOUSE.md)\n```\n",
        **{
            "HOUSE.md": "# House\n\n## The door\n\n[back](docs/tutorial.md), [on](GARDEN.md)\n",
            "GARDEN.md": "# Garden\n",
        },
    )
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "site/tutorial.html").read_text()
    assert 'href="repository/HOUSE.html#the-door"' in page
    assert 'href="repository/tools/index.html"' in page
    assert "(../HOUSE.md)" in page
    assert 'href="../tutorial.html"' in (tmp_path / "site/repository/HOUSE.html").read_text()
    assert (tmp_path / "site/repository/GARDEN.html").is_file()
    assert "mkdocs" in (tmp_path / "site/repository/tools/site_of_docs.py.html").read_text()


def test_content_from_other_hosts_is_refused(site_of_docs: ModuleType) -> None:
    """Links are allowed."""
    refused = ['<script src="https://a.example/a.js">', '<link href="//fonts.example/x" rel="stylesheet" />']
    for one in refused:
        with pytest.raises(PluginError, match="loads from another host"):
            site_of_docs.refuse_foreign("page.md", one)
    site_of_docs.refuse_foreign("page.md", '<a href="https://keepachangelog.com">')
