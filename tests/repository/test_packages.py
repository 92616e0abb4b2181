"""Every package has the same structure."""

import tomllib
from pathlib import Path

SCRIPTS = ("benchmarks", "benchmarks/peers", "benchmarks/peers/apps", "tests/support", "tools")
"""Folders whose scripts import each other."""


def test_every_package_has_its_own_manifest_and_types(packages: list[Path]) -> None:
    """pyproject.toml, one module under src/, and py.typed, so that users get its types."""
    assert packages
    for package in packages:
        project = tomllib.loads((package / "pyproject.toml").read_text())["project"]
        module = package / "src" / package.name.replace("-", "_")
        assert project["name"] == package.name
        assert project["requires-python"] == ">=3.11"
        assert [path.name for path in (package / "src").iterdir() if not path.name.startswith(".")] == [module.name]
        assert (module / "__init__.py").is_file(), module
        assert (module / "py.typed").is_file(), module


def test_every_package_is_type_checked(root: Path, packages: list[Path]) -> None:
    """The path of mypy lists each package's src/, because it accepts no pattern."""
    mypy = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["mypy"]
    bases = {f"$MYPY_CONFIG_FILE_DIR/packages/{package.name}/src" for package in packages}
    scripts = {f"$MYPY_CONFIG_FILE_DIR/{folder}" for folder in SCRIPTS}
    assert set(mypy["mypy_path"]) == bases | scripts


def test_a_new_package_is_locked(root: Path, packages: list[Path]) -> None:
    """The lock has each package's requirements, but not the package itself."""
    requirements = (root / "requirements/dev.in").read_text() + (root / "requirements/pod.in").read_text()
    script = (root / "tools/lock.sh").read_text()
    for package in packages:
        assert f"-e ./packages/{package.name}\n" in requirements
        assert f"--no-emit-package {package.name} " in script
