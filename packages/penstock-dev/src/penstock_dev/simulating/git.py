"""Reads specs from a git revision."""

from __future__ import annotations

import subprocess
from pathlib import Path

from penstock_spec.files import File
from penstock_spec.findings import CannotGoOn
from penstock_spec.reading.source import LARGEST
from penstock_spec.repository import Inputs


def at_revision(inputs: Inputs, revision: str) -> Inputs:
    """The same files at that revision. Templates, and files that a spec refers to, are read from the working tree."""
    folder = inputs.platform.path.resolve().parent
    known = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if known is None:
        raise CannotGoOn(
            f"`{revision}` is neither a file nor a git revision", "name a spec, a branch, a tag or a commit"
        )
    commit = known.decode().strip()
    platform, *specs = (_committed(one, revision, commit) for one in (inputs.platform, *inputs.specs))
    return Inputs(platform, tuple(specs), inputs.complete, inputs.templates)


def _committed(file: File, revision: str, commit: str) -> File:
    path = file.path.resolve()
    raw = _git(path.parent, "cat-file", "blob", f"{commit}:./{path.name}")
    if raw is None:
        raise CannotGoOn(f"`{file.name}` does not exist in `{revision}`", "name a revision that has it")
    return File(file.path, file.name, raw[: LARGEST + 1])


def _git(folder: Path, *arguments: str) -> bytes | None:
    try:
        result = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=False)  # noqa: S603, S607 - no shell; git from the PATH
    except OSError as error:
        raise CannotGoOn(f"cannot run git: {error.strerror}", "install git, or name a spec's file") from None
    return result.stdout if result.returncode == 0 else None
