"""Files contain no path of this machine, and every lint exclusion has a reason."""

import re
import tomllib
from pathlib import Path

import pytest


def test_no_file_names_a_path_of_this_machine(root: Path, files: list[Path]) -> None:
    """Not even a generated file."""
    machine_specific = [
        f"{path}: {match.group().decode()}"
        for path in files
        for match in machine_paths(root, Path.home()).finditer((root / path).read_bytes())
    ]
    assert machine_specific == []


@pytest.mark.parametrize(
    ("root", "text", "is_path"),
    [
        ("/nowhere/clone", "see {root}", True),
        ("/nowhere/clone", "file://{root}/docs", True),
        ("/nowhere/clone", "{root}-archive", False),
        ("/nowhere", "from {root}/packages/penstock", True),
        ("/nowhere", "packages/penstock{root}/penstock", False),
        ("/nowhere", "COPY . {root}", False),
        ("/nowhere/clone", "cd {home}/work", True),
        ("/nowhere/clone", "specs{home}/work", False),
    ],
)
def test_paths_of_this_machine_are_recognized(root: str, text: str, *, is_path: bool) -> None:
    """A short root, as in containers, is not confused with a folder of the same name."""
    home = "/nowhere/home"
    written = text.format(root=root, home=home).encode()
    assert bool(machine_paths(Path(root), Path(home)).search(written)) is is_path


def test_every_lint_exclusion_has_its_reason(root: Path) -> None:
    """Each line of each list of ignored rules ends in a comment."""
    text = (root / "pyproject.toml").read_text()
    tools = tomllib.loads(text)["tool"]
    ruff = tools["ruff"]["lint"]
    excluded = [*ruff["ignore"], *(rule for rules in ruff["per-file-ignores"].values() for rule in rules)]
    excluded += tools["check-wheel-contents"]["ignore"]
    explained = re.findall(r'^    "([A-Z0-9]+)", +# \S.+$', text, re.MULTILINE)
    assert sorted(explained) == sorted(excluded)


def machine_paths(root: Path, home: Path) -> re.Pattern[bytes]:
    # A root such as /src is also a normal folder of an image; only paths below it are specific to the machine.
    below = "|".join(map(re.escape, ["packages", "tests", "docs", "specs", "generated", ".venv", ".git"]))
    places = [rf"{re.escape(str(root))}/(?:{below})\b"]
    places += [rf"{re.escape(str(place))}(?![\w.-])" for place in (root, home) if len(place.parts) > 2]
    places += [rf"{re.escape(str(home))}/\w"] if len(home.parts) == 2 else []
    return re.compile(rf"(?<![\w.~)}}-])(?:{'|'.join(places)})".encode())
