"""What is installed is what was locked, wherever it is downloaded from."""

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


def asked_for(manifest: Path) -> list[Requirement]:
    project = tomllib.loads(manifest.read_text())
    lines = [*project["project"].get("dependencies", []), *project["build-system"]["requires"]]
    return [Requirement(line) for line in lines]


@pytest.mark.parametrize("name", LOCKS)
def test_every_requirement_is_pinned_with_its_hashes(root: Path, name: str) -> None:
    """Each is one exact version, and pip refuses any other bytes."""
    lock = (root / f"requirements/{name}.txt").read_text()
    lines = [line for line in lock.splitlines() if line and not line.startswith((" ", "#"))]
    entries = REQUIREMENT.findall(lock)
    assert lines
    assert [requirement for requirement, _ in entries] == [line.removesuffix(" \\") for line in lines]
    for requirement, hashes in entries:
        assert re.match(r"[a-z0-9-]+==[^\s*]+($| ; )", requirement), requirement
        assert re.match(r"(    --hash=sha256:[0-9a-f]{64}( \\)?\n)+$", hashes), requirement


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_address(root: Path, name: str) -> None:
    """A mirror, a proxy or a folder of wheels serves it as well."""
    lock = (root / f"requirements/{name}.txt").read_text()
    assert not re.findall(r"https?:|://|index-url|find-links|trusted-host|file:| @ |^-", lock, re.MULTILINE)


def test_the_lock_holds_all_that_the_packages_ask_for(root: Path, packages: list[Path]) -> None:
    """A requirement that was added or raised without `make lock` is found here."""
    locked = pins(root / "requirements/dev.txt")
    ours = {package.name for package in packages}
    for package in packages:
        for requirement in asked_for(package / "pyproject.toml"):
            name = canonicalize_name(requirement.name)
            if name in ours:
                continue
            assert name in locked, f"{package.name} asks for `{requirement}`; hint: make lock"
            assert requirement.specifier.contains(locked[name]), f"{package.name} asks for `{requirement}`"


def test_a_pod_runs_the_versions_that_were_tested(root: Path) -> None:
    """The pod's lock is a part of the checkout's, without its tools."""
    pod, dev = pins(root / "requirements/pod.txt"), pins(root / "requirements/dev.txt")
    assert pod.items() < dev.items()
    assert not pod.keys() & {"pytest", "mypy", "ruff", "hatchling"}


def test_there_is_one_kind_of_lock(files: list[Path]) -> None:
    """No tool's own lock stands beside requirements/, free to disagree with it."""
    others = [path for path in files if re.fullmatch(r"uv\.lock|pylock.*\.toml|poetry\.lock|Pipfile\.lock", path.name)]
    assert others == []
