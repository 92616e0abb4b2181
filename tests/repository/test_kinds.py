"""A kind of spec is a folder: other code finds kinds only in the registry."""

import ast
from pathlib import Path

import pytest

from penstock_spec.kinds import kinds


def imported(source: str) -> set[str]:
    """Every module that the source imports, or imports a name from."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
    return modules


@pytest.mark.parametrize("kind", sorted(kinds()))
def test_penstock_spec_imports_a_kind_only_in_its_own_folder(root: Path, kind: str) -> None:
    """So a new kind is only a new folder. The command may import one: `penstock new` writes only pipelines."""
    source_folder, package = root / "packages/penstock-spec/src", f"penstock_spec.kinds.{kind}"
    folder = source_folder / package.replace(".", "/")
    assert folder.is_dir()
    importing = [
        path.relative_to(source_folder).as_posix()
        for path in sorted(source_folder.rglob("*.py"))
        if not path.is_relative_to(folder)
        and any(f"{name}.".startswith(f"{package}.") for name in imported(path.read_text()))
    ]
    assert importing == []
