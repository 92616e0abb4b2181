"""A test runs, lints, compiles or parses every fenced block of the docs, or gives a reason not to.

| block | test |
|---|---|
| `console` | one of the players in `tests/support/pages.py` |
| `sh`, and the steps of a workflow | `tests/runtime/docs/test_steps.py` runs each command, or gives a reason not to |
| `yaml` named `specs/...` or `penstock.yaml` | this one lints it, with the page's other files |
| other `yaml` without a name | this one lints it, as a part of a spec |
| `python` | this one compiles and lints it; unless it is other code, a player or a test in `RUN_BY` runs it |
| other kinds, and blocks without a kind | `EXCERPTS` names it |
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pages
import pytest
import yaml
from pages import ROOT, Block, blocks, name_of

from penstock_spec.examples import TODAY
from penstock_spec.linting.lint import lint
from penstock_spec.repository import open_repository, read_inputs

RUN_BY = {
    "docs/how-to/scheduler/cancellable-handler.md": "tests/runtime/docs/test_cancellable.py",
    "docs/how-to/handlers.md": "tests/runtime/docs/test_handlers.py",
    "docs/how-to/sending.md": "tests/runtime/docs/test_sending.py",
    "docs/how-to/message-schemas.md": "tests/transcripts/test_docs.py: a command of the page imports it",
}
"""Pages with Python for Penstock that no shell runs, and the test that runs it."""

TOUR = "tests/generate/test_tour.py finds it in the committed file"
EXCERPTS = {
    ("docs/explanation/generated.md", "json"): TOUR,
    ("docs/explanation/generated.md", "md"): TOUR,
    ("docs/explanation/generated.md", "py"): TOUR,
    ("docs/explanation/generated.md", "text"): f"{TOUR}; the tree of folders is an illustration",
    ("docs/explanation/generated.md", "yaml"): TOUR,
    ("docs/explanation/scaling.md", ""): "arithmetic in words; tests/scaling tests the functions",
    ("docs/explanation/states.md", "mermaid"): "GitHub renders it; the site shows the picture by tools/states.py",
    ("docs/how-to/review.md", "yaml"): "a workflow: tests/runtime/docs/test_steps.py runs its steps",
    ("docs/how-to/size.md", "csv"): "test_docs.py writes it and simulates with it",
    ("docs/how-to/templates.md", "jinja"): "test_docs.py writes it and generates with it",
    (
        "docs/how-to/test-scaling.md",
        "yaml",
    ): "steps of a workflow: this module parses them, and lints the specs",
}
"""Blocks of other kinds by page, with the reason or the test."""

UNTIL_NEXT_STEP = {("docs/how-to/message-schemas.md", "schema-file-missing"): "the page's next command writes the file"}
"""Findings that a reader has until the next step of the page."""

EVERY = [pytest.param(page, id=name_of(page)) for page in pages.docs()]
PYTHON = [
    pytest.param(page, block, id=f"{name_of(page)}-{number}")
    for page in pages.docs()
    for number, block in enumerate(blocks(page))
    if block.kind == "python"
]


@pytest.mark.parametrize("page", EVERY)
def test_every_block_is_a_plain_fence(page: Path) -> None:
    """No test would read an indented fence, a fence of tildes, or code that is indented by four spaces."""
    markdown = importlib.import_module("markdown")  # it has no types
    html = markdown.markdown(page.read_text(), extensions=["pymdownx.superfences", "tables"])
    assert len(re.findall(r"<pre[ >]", html)) == len(blocks(page))
    assert len(re.findall(r"^[\s>]*(?:```|~~~)", page.read_text(), re.MULTILINE)) == 2 * len(blocks(page))


@pytest.mark.parametrize("page", EVERY)
def test_every_block_is_checked_by_a_test(page: Path) -> None:
    """Or is in `EXCERPTS`, with the reason."""
    unchecked = [block for block in blocks(page) if not is_checked(page, block)]
    assert unchecked == []


def is_checked(page: Path, block: Block) -> bool:
    if (name_of(page), block.kind) in EXCERPTS:
        return True
    match block.kind:
        case "console":
            return sum(page in played for played in (pages.in_process(), pages.in_a_shell(), pages.OWN_PLAYER)) == 1
        case "python":
            return block.is_others or page in pages.in_a_shell() or name_of(page) in RUN_BY
        case "yaml":
            return block.is_ours or not block.title
        case "sh":
            return page in pages.with_steps()
        case _:
            return False


def test_exceptions_exist() -> None:
    """An exception for a block that no longer exists must be removed."""
    existing = {(name_of(page), block.kind) for page in pages.docs() for block in blocks(page)}
    assert EXCERPTS.keys() <= existing
    assert {(page, "python") for page in RUN_BY} <= existing
    assert all((ROOT / test.partition(":")[0]).is_file() for test in (*RUN_BY.values(), *pages.OWN_PLAYER.values()))
    assert all(page.is_file() for page in pages.OWN_PLAYER)


@pytest.mark.parametrize("page", EVERY)
def test_every_shell_block_has_valid_syntax(page: Path) -> None:
    """By `bash -n`, which does not run it."""
    for block in blocks(page):
        if block.kind == "sh":
            result = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True, check=False)
            assert result.stderr == "", block.text


@pytest.mark.parametrize("page", EVERY)
def test_every_spec_is_valid(page: Path, tmp_path: Path) -> None:
    """Complete specs and parts have no findings, except for rules that the page names."""
    if page in pages.OWN_PLAYER:
        return
    text = page.read_text()
    rules = [*findings_of_files(page, tmp_path / "files"), *findings_of_fragments(page, tmp_path / "fragments")]
    rules = [one for one in rules if (name_of(page), one) not in UNTIL_NEXT_STEP]
    assert [one for one in rules if f"[{one}]" not in text and f"rule: {one}" not in text] == []


def findings_of_files(page: Path, folder: Path) -> Iterator[str]:
    """The findings in all files, after each spec or platform file is written."""
    write(folder, "penstock.yaml", pages.platform())
    for block in blocks(page):
        if block.title:
            write(folder, block.title, block.text)
        if block.is_ours and any((folder / "specs").glob("*.yaml")):
            yield from linted(folder)


def findings_of_fragments(page: Path, folder: Path) -> Iterator[str]:
    for number, fragment in enumerate(pages.spec_fragments(page)):
        write(folder / str(number), "penstock.yaml", pages.platform())
        write(folder / str(number), "specs/part.yaml", fragment)
        yield from linted(folder / str(number))


def write(folder: Path, file: str, text: str) -> None:
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(text)


def linted(folder: Path) -> Iterator[str]:
    """The rules of the findings in all environments."""
    repository = open_repository((), folder / "penstock.yaml", folder)
    for finding in lint(read_inputs(repository), (), TODAY).outcome.findings:
        yield finding.rule


@pytest.mark.parametrize("page", EVERY)
def test_all_yaml_is_valid(page: Path) -> None:
    """Workflows and excerpts too."""
    for block in blocks(page):
        if block.kind == "yaml" and page not in pages.OWN_PLAYER:
            list(yaml.safe_load_all(block.text))


@pytest.mark.parametrize(("page", "block"), PYTHON)
def test_all_python_compiles(page: Path, block: Block) -> None:
    """Examples of other code too."""
    compile(block.text, name_of(page), "exec")


def test_python_in_the_docs_passes_ruff(tmp_path: Path) -> None:
    """Its rules and its format."""
    for page in pages.docs():
        for number, block in enumerate(blocks(page)):
            if block.kind == "python" and not block.is_others:
                write(tmp_path, f"{page.stem}_{number}.py", block.text)
    ruff = Path(sys.executable).parent / "ruff"
    for verb in (["check", "--isolated", "--select=E,F,I,B,UP,SIM,RUF"], ["format", "--isolated", "--diff"]):
        result = subprocess.run(
            [ruff, *verb, "--no-cache", "--line-length=110", "."],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stdout
