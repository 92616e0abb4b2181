"""Makes an environment for each peer in build/peers: their requirements exclude each other.

`python benchmarks/peers/environments.py` makes those that are missing or whose requirements have changed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "peers"
APPS = Path(__file__).parent / "apps"
PINS = ROOT / "requirements" / "peers"
NODE, GO = "node", "asynq"
NEWER = "newer-python"
"""Penstock on Python 3.12 or newer, to try eager tasks."""
PACKAGES = ("penstock-spec", "penstock")


def python(environment: str) -> Path:
    """The interpreter of a Python peer."""
    return BUILD / environment / "bin" / "python"


def missing_tool(environment: str) -> str | None:
    """The program that this machine lacks for an environment."""
    if environment == NEWER:
        return None if newer_python() else "Python 3.12 or newer (name it in PENSTOCK_NEWER_PYTHON)"
    needed = {NODE: "npm", GO: "go"}.get(environment)
    return needed if needed and not shutil.which(needed) else None


@cache
def newer_python() -> str | None:
    """A Python that has eager tasks."""
    for name in (os.environ.get("PENSTOCK_NEWER_PYTHON"), "python3.14", "python3.13", "python3.12"):
        if name and shutil.which(name):
            works = [name, "-c", "import asyncio, venv; asyncio.eager_task_factory"]  # a shim of pyenv may not
            if subprocess.run(works, capture_output=True, check=False).returncode == 0:  # noqa: S603 - as above
                return name
    return None


def make(environment: str) -> None:
    """Make an environment, unless it is up to date."""
    own = {NODE: APPS / "package.json", GO: APPS / "asynq", NEWER: ROOT / "requirements" / "pod.txt"}
    pins = own.get(environment, PINS / f"{environment}.txt")
    digest = _digest(pins)
    stamp = BUILD / environment / "made"
    if stamp.exists() and stamp.read_text() == digest and environment != NEWER:  # it has a copy of the packages
        return
    print(f"installing {environment}", file=sys.stderr)
    shutil.rmtree(BUILD / environment, ignore_errors=True)
    (BUILD / environment).mkdir(parents=True)
    match environment:
        case "node":
            shutil.copy(pins, BUILD / NODE)
            _run(["npm", "install", "--silent", "--no-package-lock", "--no-audit", "--no-fund"], BUILD / NODE)
        case "asynq":
            _run(["go", "build", "-o", str(BUILD / GO / "peer"), "."], pins)
        case _:
            base = newer_python() if environment == NEWER else sys.executable
            _run([str(base), "-m", "venv", str(BUILD / environment)], ROOT)
            pip = [str(python(environment)), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
            _run([*pip, "--require-hashes", "-r", str(pins)], ROOT)
            if environment == NEWER:
                _run([*pip, "--no-deps", *(f"./packages/{name}" for name in PACKAGES)], ROOT)
    stamp.write_text(digest)


def _digest(pins: Path) -> str:
    files = sorted(pins.iterdir()) if pins.is_dir() else [pins]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _run(command: Sequence[str], folder: Path) -> None:
    # A virtual environment of the caller must not leak into the new one.
    environ = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    if subprocess.run(command, cwd=folder, env=environ, check=False).returncode:  # noqa: S603 - our own command
        sys.exit(f"error: `{' '.join(command)}` failed in {folder}")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "benchmarks"))
    from catalogue import PEERS

    for name in {peer.environment: None for peer in PEERS.values() if peer.environment}:
        if tool := missing_tool(name):
            print(f"left out {name}: {tool} is not installed", file=sys.stderr)
        else:
            make(name)
