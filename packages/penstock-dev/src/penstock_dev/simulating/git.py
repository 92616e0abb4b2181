"""Files as they were committed in a revision of git."""

from __future__ import annotations

import subprocess
from pathlib import Path

from penstock_spec.files import File
from penstock_spec.findings import CannotGoOn
from penstock_spec.reading.source import LARGEST
from penstock_spec.repository import Inputs


def at_revision(inputs: Inputs, revision: str) -> Inputs:
    """The same files in that revision. Templates, and what a spec names beside itself, are read as they are now."""
    where = inputs.platform.path.resolve().parent
    known = _git(where, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if known is None:
        raise CannotGoOn(
            f"`{revision}` is no file, and no revision that git knows here", "name a spec, a branch, a tag or a commit"
        )
    commit = known.decode().strip()
    platform, *specs = (_committed(one, revision, commit) for one in (inputs.platform, *inputs.specs))
    return Inputs(platform, tuple(specs), inputs.whole, inputs.templates)


def _committed(file: File, revision: str, commit: str) -> File:
    path = file.path.resolve()
    raw = _git(path.parent, "cat-file", "blob", f"{commit}:./{path.name}")
    if raw is None:
        raise CannotGoOn(f"`{file.name}` was not there in `{revision}`", "name a revision that has it")
    return File(file.path, file.name, raw[: LARGEST + 1])


def _git(where: Path, *words: str) -> bytes | None:
    try:
        ran = subprocess.run(["git", *words], cwd=where, capture_output=True, check=False)  # noqa: S603, S607 - no shell, and git is where it is
    except OSError as error:
        raise CannotGoOn(f"git cannot be run: {error.strerror}", "install git, or name a spec's file") from None
    return ran.stdout if ran.returncode == 0 else None
