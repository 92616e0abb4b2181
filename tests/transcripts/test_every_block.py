"""No fenced block of the docs escapes in silence: each is run, linted, compiled or parsed by a test, or says why not.

| what | who looks at it |
|---|---|
| `console` | one of the players that `tests/support/pages.py` names |
| `sh`, and the steps of a workflow | `tests/runtime/docs/test_steps.py` runs each command, or says why not |
| `yaml` named `specs/...` or `penstock.yaml` | written and linted here, beside the page's other files |
| other `yaml` without a name | a part of a spec, linted here as one |
| `python` | compiled and linted here; what is ours is run, too, by a player or by the test that is named below |
| others, and what has no kind | what is named below |
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
    "docs/how-to/message-schemas.md": "tests/transcripts/test_docs.py: the page's own command imports it",
}
"""Pages with Python of ours that no shell plays, and the test that runs it."""

TOUR = "tests/generate/test_tour.py finds it in the committed file"
EXCERPTS = {
    ("docs/explanation/generated.md", "json"): TOUR,
    ("docs/explanation/generated.md", "md"): TOUR,
    ("docs/explanation/generated.md", "py"): TOUR,
    ("docs/explanation/generated.md", "text"): f"{TOUR}; the tree of folders is a picture",
    ("docs/explanation/generated.md", "yaml"): TOUR,
    ("docs/explanation/scaling.md", ""): "arithmetic in words; tests/scaling holds the functions to it",
    ("docs/explanation/states.md", "mermaid"): "hosts draw it; the site has what tools/states.py draws of it",
    ("docs/how-to/review.md", "yaml"): "a workflow: tests/runtime/docs/test_steps.py runs its steps",
    ("docs/how-to/size.md", "csv"): "test_docs.py writes it and simulates with it",
    ("docs/how-to/templates.md", "jinja"): "test_docs.py writes it and generates with it",
    (
        "docs/how-to/test-scaling.md",
        "yaml",
    ): "steps of a workflow: they are parsed here, and its specs linted all the same",
}
"""Of a page, blocks of other kinds, and what becomes of them."""

UNTIL_THEN = {("docs/how-to/message-schemas.md", "schema-file-missing"): "the page's next command writes the file"}
"""Findings that a page's reader has for a moment."""

EVERY = [pytest.param(page, id=name_of(page)) for page in pages.docs()]
PYTHON = [
    pytest.param(page, block, id=f"{name_of(page)}-{number}")
    for page in pages.docs()
    for number, block in enumerate(blocks(page))
    if block.kind == "python"
]


@pytest.mark.parametrize("page", EVERY)
def test_every_block_is_seen(page: Path) -> None:
    """A fence that is indented, or of tildes, or code by four blanks, would be read by no test."""
    markdown = importlib.import_module("markdown")  # it has no types
    html = markdown.markdown(page.read_text(), extensions=["pymdownx.superfences", "tables"])
    assert len(re.findall(r"<pre[ >]", html)) == len(blocks(page))
    assert len(re.findall(r"^[\s>]*(?:```|~~~)", page.read_text(), re.MULTILINE)) == 2 * len(blocks(page))


@pytest.mark.parametrize("page", EVERY)
def test_every_block_is_checked_by_a_test(page: Path) -> None:
    """Or of one that is named above, with what becomes of it."""
    stray = [block for block in blocks(page) if not looked_at(page, block)]
    assert stray == []


def looked_at(page: Path, block: Block) -> bool:
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
    """An exemption names what a page has, and goes when that goes."""
    there = {(name_of(page), block.kind) for page in pages.docs() for block in blocks(page)}
    assert EXCERPTS.keys() <= there
    assert {(page, "python") for page in RUN_BY} <= there
    assert all((ROOT / test.partition(":")[0]).is_file() for test in (*RUN_BY.values(), *pages.OWN_PLAYER.values()))
    assert all(page.is_file() for page in pages.OWN_PLAYER)


@pytest.mark.parametrize("page", EVERY)
def test_every_shell_block_is_a_script(page: Path) -> None:
    """As far as bash can tell without running it."""
    for block in blocks(page):
        if block.kind == "sh":
            told = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True, check=False)
            assert told.stderr == "", block.text


@pytest.mark.parametrize("page", EVERY)
def test_every_spec_is_one(page: Path, tmp_path: Path) -> None:
    """Whole ones and parts: what lint finds in one stands on the page, by its name, or it finds nothing."""
    if page in pages.OWN_PLAYER:
        return
    text = page.read_text()
    found = [*findings_of_files(page, tmp_path / "files"), *findings_of_fragments(page, tmp_path / "fragments")]
    found = [one for one in found if (name_of(page), one) not in UNTIL_THEN]
    assert [one for one in found if f"[{one}]" not in text and f"rule: {one}" not in text] == []


def findings_of_files(page: Path, folder: Path) -> Iterator[str]:
    """After each specification that is written, of all that stand there then."""
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
    """The names of what is found, in all environments."""
    repository = open_repository((), folder / "penstock.yaml", folder)
    for finding in lint(read_inputs(repository), (), TODAY).outcome.findings:
        yield finding.rule


@pytest.mark.parametrize("page", EVERY)
def test_all_yaml_is_yaml(page: Path) -> None:
    """Also what is no spec; excerpts of a file need not be whole."""
    for block in blocks(page):
        if block.kind == "yaml" and page not in pages.OWN_PLAYER:
            list(yaml.safe_load_all(block.text))


@pytest.mark.parametrize(("page", "block"), PYTHON)
def test_all_python_compiles(page: Path, block: Block) -> None:
    """That of others as well."""
    compile(block.text, name_of(page), "exec")


def test_all_python_of_ours_is_in_the_houses_style(tmp_path: Path) -> None:
    """Ruff has nothing to say, neither of what it does nor of how it is set."""
    for page in pages.docs():
        for number, block in enumerate(blocks(page)):
            if block.kind == "python" and not block.is_others:
                write(tmp_path, f"{page.stem}_{number}.py", block.text)
    ruff = Path(sys.executable).parent / "ruff"
    for verb in (["check", "--isolated", "--select=E,F,I,B,UP,SIM,RUF"], ["format", "--isolated", "--diff"]):
        told = subprocess.run(
            [ruff, *verb, "--no-cache", "--line-length=110", "."],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert told.returncode == 0, told.stdout
