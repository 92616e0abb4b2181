"""The repository is the same on every machine, and says why it makes an exception."""

import re
import tomllib
from pathlib import Path

import pytest


def test_no_file_names_a_path_of_this_machine(root: Path, files: list[Path]) -> None:
    """Whatever wrote a file here, it wrote nothing that is only true here."""
    found = [
        f"{path}: {match.group().decode()}"
        for path in files
        for match in machine_paths(root, Path.home()).finditer((root / path).read_bytes())
    ]
    assert found == []


@pytest.mark.parametrize(
    ("root", "text", "found"),
    [
        ("/nowhere/house", "see {root}", True),
        ("/nowhere/house", "file://{root}/docs", True),
        ("/nowhere/house", "{root}-archive", False),
        ("/nowhere", "from {root}/packages/penstock", True),
        ("/nowhere", "packages/penstock{root}/penstock", False),
        ("/nowhere", "COPY . {root}", False),
        ("/nowhere/house", "cd {home}/work", True),
        ("/nowhere/house", "specs{home}/work", False),
    ],
)
def test_a_path_of_this_machine_is_known_from_others(root: str, text: str, *, found: bool) -> None:
    """A short root, as containers have it, is not mistaken for a folder of the same name."""
    home = "/nowhere/home"
    written = text.format(root=root, home=home).encode()
    assert bool(machine_paths(Path(root), Path(home)).search(written)) is found


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
    # A root such as /src is also an honest folder of an image; only what lies below it gives the machine away.
    below = "|".join(map(re.escape, ["packages", "tests", "docs", "specs", "generated", ".venv", ".git"]))
    places = [rf"{re.escape(str(root))}/(?:{below})\b"]
    places += [rf"{re.escape(str(place))}(?![\w.-])" for place in (root, home) if len(place.parts) > 2]
    places += [rf"{re.escape(str(home))}/\w"] if len(home.parts) == 2 else []
    return re.compile(rf"(?<![\w.~)}}-])(?:{'|'.join(places)})".encode())
