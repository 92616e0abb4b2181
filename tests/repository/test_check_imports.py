"""`make lint` requires that packages import each other in one direction."""

import subprocess
import sys
from pathlib import Path

import pytest


def check(root: Path, packages: Path) -> tuple[int, str]:
    ran = subprocess.run(
        [sys.executable, root / "tools/check_imports.py", packages], check=False, capture_output=True, text=True
    )
    return ran.returncode, ran.stderr


def write(packages: Path, module: str, text: str) -> Path:
    """Write a module; its package is the first part of its name."""
    parts = module.split(".")
    source = packages / parts[0].replace("_", "-") / "src"
    for depth in range(1, len(parts)):
        folder = source.joinpath(*parts[:depth])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").touch()
    file = source.joinpath(*parts).with_suffix(".py")
    file.write_text(text)
    return file


def test_the_packages_import_in_one_direction(root: Path) -> None:
    assert check(root, root / "packages") == (0, "")


@pytest.mark.parametrize(
    ("module", "text", "complaint"),
    [
        ("penstock_spec.model", "import penstock", "`penstock_spec` must not import `penstock`"),
        ("penstock.worker", "from penstock_dev import x", "`penstock` must not import `penstock_dev`"),
        ("penstock.worker", "def f():\n    import penstock_dev.x", "`penstock` must not import `penstock_dev`"),
        ("penstock_dev.run", "import penstock_generate", "`penstock_dev` must not import `penstock_generate`"),
        ("penstock_generate.plan", "from penstock import keys", "only `penstock_generate.command` and"),
        ("penstock.worker", "import kubernetes", "only `penstock.janitor` may import `kubernetes`"),
        ("penstock_spec.model", "from penstock_spec.kinds import pipeline", "only `penstock_spec.kinds.pipeline`"),
        ("penstock_spec.kinds.scheduler.spec", "from penstock_spec.kinds.pipeline.spec import Pipeline", "only `"),
    ],
)
def test_an_import_in_the_wrong_direction_is_an_error(
    root: Path, tmp_path: Path, module: str, text: str, complaint: str
) -> None:
    write(tmp_path, "penstock_spec.kinds.pipeline.spec", "")
    file = write(tmp_path, module, text)
    code, output = check(root, tmp_path)
    assert code == 1
    assert output.startswith(f"{file}:{len(text.splitlines())}: ")
    assert complaint in output


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("penstock_generate.command.check", "from penstock.command import console"),
        ("penstock_spec.catalogue", "from penstock_spec.kinds import kinds"),
        ("penstock_spec.kinds.pipeline.rules", "from penstock_spec.kinds.pipeline.spec import Pipeline"),
    ],
)
def test_an_import_in_the_right_direction_passes(root: Path, tmp_path: Path, module: str, text: str) -> None:
    write(tmp_path, "penstock_spec.kinds.pipeline.spec", "")
    write(tmp_path, module, text)
    assert check(root, tmp_path) == (0, "")


def test_a_new_package_must_list_its_imports(root: Path, tmp_path: Path) -> None:
    write(tmp_path, "penstock_new.model", "")
    code, output = check(root, tmp_path)
    assert code == 1
    assert "`penstock_new` is unknown" in output
