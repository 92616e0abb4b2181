"""Checks generated files with other programs: those that will read them, or that stand in for those."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from penstock_generate.rendering.artifact import ENVIRONMENT_FOLDER
from penstock_spec.platform import Platform

FROM_THE_NET = "default"
"""The value for schemas with which kubeconform downloads those of Kubernetes and skips other kinds."""


@dataclass(frozen=True, slots=True)
class Proof:
    """One run of a program."""

    what: str
    """The files that it checks, in a few words."""
    command: tuple[str, ...]

    @property
    def program(self) -> str:
        """The program's name."""
        return self.command[0]


@dataclass(frozen=True, slots=True)
class Result:
    proof: Proof
    code: int | None
    """The exit code; None if the program is not installed."""
    said: str


def proofs(root: Path, folders: list[str], platform: Platform, schemas: str) -> Iterator[Proof]:
    """The checks of these folders of `generated/`, the cheapest first."""
    for environment, around in platform.environments.items():
        inside = [root / folder for folder in folders if folder.startswith(f"{environment}/")]
        manifests = [one / "manifests" for one in inside if (one / "manifests").is_dir()]
        if manifests:
            version = str(around.versions.kubernetes)
            what = f"{environment}: manifests for Kubernetes {version}"
            yield Proof(what, ("kubeconform", *_schemas(schemas, version), *map(str, manifests)))
        rules = [one for one in inside if (one / "rules.yaml").is_file()]
        if rules:
            yield Proof(
                f"{environment}: rules", ("promtool", "check", "rules", *(f"{one}/rules.yaml" for one in rules))
            )
            tests = (f"{one}/rules.test.yaml" for one in rules)
            yield Proof(f"{environment}: tests of alerts", ("promtool", "test", "rules", *tests))
        alertmanager = root / environment / ENVIRONMENT_FOLDER / "alertmanager.yaml"
        if alertmanager.parent in inside and alertmanager.is_file():
            yield Proof(f"{environment}: Alertmanager", ("amtool", "check-config", str(alertmanager)))
        for one in inside:
            if (one / "values.yaml").is_file() and (root / "chart").is_dir():
                words = ("helm", "lint", "--strict", "--quiet", str(root / "chart"), "-f", f"{one}/values.yaml")
                yield Proof(f"{environment}: {one.name}'s values", words)
    if "images" in folders:
        files = sorted(map(str, (root / "images").glob("*.Dockerfile")))
        yield Proof("images", ("hadolint", *files))


def _schemas(schemas: str, version: str) -> tuple[str, ...]:
    options = ("-strict", "-summary", "-ignore-filename-pattern", "kustomization")
    if schemas == FROM_THE_NET:
        return (*options, "-ignore-missing-schemas", "-kubernetes-version", f"{version}.0")
    kinds = f"{schemas}/{version}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json"
    crds = f"{schemas}/crds/{{{{.ResourceKind}}}}-{{{{.ResourceAPIVersion}}}}.json"
    return (*options, "-schema-location", kinds, "-schema-location", crds)


def run(proof: Proof) -> Result:
    """Run a check."""
    program = shutil.which(proof.program)
    if program is None:
        return Result(proof, None, "")
    ran = subprocess.run([program, *proof.command[1:]], capture_output=True, text=True, check=False)  # noqa: S603 - no shell
    return Result(proof, ran.returncode, (ran.stdout + ran.stderr).strip())
