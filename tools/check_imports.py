"""Check which package imports which: dependencies point one way, and a kind of spec is known to its own folder only."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {
    "penstock_spec": frozenset[str](),
    "penstock_scaling": frozenset({"penstock_spec"}),
    "penstock": frozenset({"penstock_spec"}),
    "penstock_generate": frozenset({"penstock_spec", "penstock"}),
    "penstock_dev": frozenset({"penstock_spec", "penstock_scaling", "penstock"}),
}
"""The packages of this repository that a package may import."""
ONLY_FROM = {
    ("penstock_generate", "penstock"): ("penstock_generate.command", "penstock_generate.terminal"),
    ("penstock", "kubernetes"): ("penstock.janitor",),
}
"""Imports that only these parts of a package may make: the rest works without them."""
KINDS = "kinds"
"""A package whose folders are independent of each other; only files of a folder import from it by name."""


class Import(NamedTuple):
    """One import statement."""

    file: Path
    line: int
    module: str
    """The module that it is in."""
    imported: str


def imports_of(source: Path) -> Iterator[Import]:
    """Absolute imports in all modules under a `src` folder, with names from packages as modules of their own."""
    for file in sorted(source.rglob("*.py")):
        module = ".".join(file.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                yield from (Import(file, node.lineno, module, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield from (Import(file, node.lineno, module, f"{node.module}.{one.name}") for one in node.names)


def complaints(packages: Path) -> Iterator[str]:
    """Every import that points the wrong way."""
    for source in sorted(packages.glob("*/src")):
        [package] = (path.name for path in source.iterdir() if (path / "__init__.py").is_file())
        if package not in MAY_IMPORT:
            yield f"{source}: `{package}` is unknown; list its imports in {Path(__file__).name}"
            continue
        kinds = {path.name for path in (source / package / KINDS).glob("*/")}
        for one in imports_of(source):
            complaint = _wrong(package, kinds, one)
            if complaint:
                yield f"{one.file}:{one.line}: {complaint}"


def _wrong(package: str, kinds: set[str], one: Import) -> str:
    top = one.imported.split(".")[0]
    if top in MAY_IMPORT and top != package and top not in MAY_IMPORT[package]:
        return f"`{package}` must not import `{top}`"
    places = ONLY_FROM.get((package, top))
    if places and not any(_within(one.module, place) for place in places):
        return f"only {' and '.join(f'`{place}`' for place in places)} may import `{top}`"
    for kind in kinds:
        folder = f"{package}.{KINDS}.{kind}"
        if _within(one.imported, folder) and not _within(one.module, folder):
            return f"only `{folder}` imports its own modules; others find kinds in the registry"
    return ""


def _within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


@click.command(help=__doc__)
@click.argument("packages", type=click.Path(path_type=Path), default=ROOT / "packages")
def main(packages: Path) -> None:
    """Exit with 1 if an import points the wrong way."""
    wrong = list(dict.fromkeys(complaints(packages)))  # a statement may import several names
    for complaint in wrong:
        click.echo(complaint, err=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
