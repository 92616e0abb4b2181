"""The lock files pin exact versions with hashes, from any package index."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCKS = ["dev", "lock", "pod"]
REQUIREMENT = re.compile(r"^(?P<requirement>[A-Za-z0-9].*?) \\\n(?P<hashes>(?:    --hash=.*\n)*)", re.MULTILINE)


def pins(lock: Path) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", lock.read_text(), re.MULTILINE))


def requirements_of(manifest: Path) -> list[Requirement]:
    project = tomllib.loads(manifest.read_text())
    lines = [*project["project"].get("dependencies", []), *project["build-system"]["requires"]]
    return [Requirement(line) for line in lines]


@pytest.mark.parametrize("name", LOCKS)
def test_every_requirement_is_pinned_with_its_hashes(root: Path, name: str) -> None:
    """To one exact version; pip refuses other files."""
    lock = (root / f"requirements/{name}.txt").read_text()
    lines = [line for line in lock.splitlines() if line and not line.startswith((" ", "#"))]
    entries = REQUIREMENT.findall(lock)
    assert lines
    assert [requirement for requirement, _ in entries] == [line.removesuffix(" \\") for line in lines]
    for requirement, hashes in entries:
        assert re.match(r"[a-z0-9-]+==[^\s*]+($| ; )", requirement), requirement
        assert re.match(r"(    --hash=sha256:[0-9a-f]{64}( \\)?\n)+$", hashes), requirement


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_index(root: Path, name: str) -> None:
    """So a mirror, a proxy or a folder of wheels can be used."""
    lock = (root / f"requirements/{name}.txt").read_text()
    assert not re.findall(r"https?:|://|index-url|find-links|trusted-host|file:| @ |^-", lock, re.MULTILINE)


def test_the_lock_satisfies_the_requirements_of_the_packages(root: Path, packages: list[Path]) -> None:
    """It fails if somebody changes a requirement without `make lock`."""
    locked = pins(root / "requirements/dev.txt")
    ours = {package.name for package in packages}
    for package in packages:
        for requirement in requirements_of(package / "pyproject.toml"):
            name = canonicalize_name(requirement.name)
            if name in ours:
                continue
            assert name in locked, f"{package.name} requires `{requirement}`; hint: make lock"
            assert requirement.specifier.contains(locked[name]), f"{package.name} requires `{requirement}`"


def test_a_pod_runs_the_versions_that_were_tested(root: Path) -> None:
    """The pod's lock is a subset of the developers', without tools."""
    pod, dev = pins(root / "requirements/pod.txt"), pins(root / "requirements/dev.txt")
    assert pod.items() < dev.items()
    assert not pod.keys() & {"pytest", "mypy", "ruff", "hatchling"}


def test_there_is_one_kind_of_lock(files: list[Path]) -> None:
    """No other tool has a lock that could differ from requirements/."""
    others = [path for path in files if re.fullmatch(r"uv\.lock|pylock.*\.toml|poetry\.lock|Pipfile\.lock", path.name)]
    assert others == []
