"""A kind is a folder: what stands outside it knows kinds only through their registry."""

import ast
from pathlib import Path

import pytest

from penstock_spec.kinds import kinds


def imported(source: str) -> set[str]:
    """Every module that a text imports, or takes a name from."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
    return found


@pytest.mark.parametrize("kind", sorted(kinds()))
def test_nothing_of_the_language_outside_the_folder_of_a_kind_imports_it(root: Path, kind: str) -> None:
    """So that the next kind is one more folder. The command may: `penstock new` writes pipelines and nothing else."""
    language, package = root / "packages/penstock-spec/src", f"penstock_spec.kinds.{kind}"
    folder = language / package.replace(".", "/")
    assert folder.is_dir()
    knowing = [
        path.relative_to(language).as_posix()
        for path in sorted(language.rglob("*.py"))
        if not path.is_relative_to(folder)
        and any(f"{name}.".startswith(f"{package}.") for name in imported(path.read_text()))
    ]
    assert knowing == []
