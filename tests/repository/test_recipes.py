"""The pages for contributors name only files, constants and parts of a kind that exist."""

import re
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest

from penstock_spec.kinds.kind import Kind

CODE = re.compile(r"`([^`\n]+)`")
CONSTANT = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
FILE = re.compile(r"[\w./<>-]+/[\w.<>-]*|[\w<>-]+\.(?:py|yaml|md)")
BUILT = ("build/", ".venv/")
"""Folders that a checkout does not have."""
PAGES = ("CONTRIBUTING.md", "ARCHITECTURE.md")


def source(root: Path) -> str:
    """The text of all programs, in which a name must be."""
    folders = ("packages", "tests", "tools")
    files = [file for folder in folders for file in (root / folder).rglob("*.py") if file != Path(__file__)]
    return "\n".join(file.read_text() for file in (*files, root / "Makefile", root / "noxfile.py"))


@pytest.mark.parametrize("page", PAGES)
def test_the_files_that_a_page_names_exist(root: Path, page: str) -> None:
    named = {word for word in CODE.findall((root / page).read_text()) if FILE.fullmatch(word)}
    assert named
    known = tracked(root)
    assert [word for word in sorted(named) if not word.startswith(BUILT) and not is_known(word, known)] == []


def tracked(root: Path) -> str:
    """The files of a checkout and their folders, one a line."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split("\n")
    return "\n".join({*files, *(parent.as_posix() for name in files for parent in Path(name).parents)})


def is_known(word: str, known: str) -> bool:
    """Whether a path, from the root or below any folder, is a file or a folder; `<kind>` stands for any name."""
    pattern = re.sub(r"<\w+>", "[^/\\n]+", re.escape(word.rstrip("/")))
    return re.search(rf"(?m)(?:^|/){pattern}$", known) is not None


@pytest.mark.parametrize("page", PAGES)
def test_the_constants_that_a_page_names_exist(root: Path, page: str) -> None:
    text = (root / page).read_text()
    named = set(CONSTANT.findall(text)) | {word for word in CODE.findall(text) if re.fullmatch("[A-Z]{4,}", word)}
    assert named
    programs = set(re.findall(r"\b[A-Z][A-Z0-9_]{3,}\b", source(root)))
    assert sorted(named - programs) == []


def test_the_table_of_kinds_names_what_a_kind_has(root: Path) -> None:
    table = (root / "ARCHITECTURE.md").read_text().partition("\n## Kinds\n")[2].partition("\n## ")[0]
    named = {
        name
        for row in re.findall(r"(?m)^\| ([^|]*`[^|]*) \|", table)
        for name in CODE.findall(row.partition(":")[0])
        if name != "CONTRACT"
    }
    assert named
    assert sorted(named - {field.name for field in fields(Kind)}) == []


def test_the_promises_name_violations_and_families_that_exist(root: Path) -> None:
    table = (root / "ARCHITECTURE.md").read_text().partition("\n## Promises\n")[2].partition("\n## ")[0]
    tests = "".join(line.split("|")[3] + ";" for line in table.splitlines() if line.startswith(("| P", "| A job")))
    violations = set(re.findall(r'"([a-z-]+)"', tests))
    checks = "".join((root / f"tests/simulation/{name}.py").read_text() for name in ("truth", "final_checks"))
    assert violations
    assert sorted(name for name in violations if f'"{name}"' not in checks) == []
    families = {name for words in re.findall(r"famil\w+ ([^;]+);", tests) for name in re.findall("`([a-z-]+)`", words)}
    known = "".join(file.read_text() for file in (root / "tests/faults").glob("of_*.py"))
    assert families
    assert sorted(name for name in families if f'"{name}"' not in known) == []
