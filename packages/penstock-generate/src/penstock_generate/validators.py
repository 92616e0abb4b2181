"""Checks generated files with the programs that will read them, or with checkers for these."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from penstock_generate.rendering.artifact import ENVIRONMENT_FOLDER
from penstock_spec.platform import Platform

DOWNLOADED = "default"
"""The value for schemas with which kubeconform downloads those of Kubernetes and skips other kinds."""


@dataclass(frozen=True, slots=True)
class Check:
    """One run of a program."""

    what: str
    """The files that it checks, in a few words."""
    command: tuple[str, ...]

    @property
    def program(self) -> str:
        """The program's name."""
        return self.command[0]


@dataclass(frozen=True, slots=True)
class CheckResult:
    check: Check
    code: int | None
    """The exit code; None if the program is not installed."""
    output: str


def checks(root: Path, folders: list[str], platform: Platform, schemas: str) -> Iterator[Check]:
    """The checks of these folders of `generated/`, the cheapest first."""
    for environment, around in platform.environments.items():
        inside = [root / folder for folder in folders if folder.startswith(f"{environment}/")]
        manifests = [one / "manifests" for one in inside if (one / "manifests").is_dir()]
        if manifests:
            version = str(around.versions.kubernetes)
            what = f"{environment}: manifests for Kubernetes {version}"
            yield Check(what, ("kubeconform", *_schemas(schemas, version), *map(str, manifests)))
        rules = [one for one in inside if (one / "rules.yaml").is_file()]
        if rules:
            yield Check(
                f"{environment}: rules", ("promtool", "check", "rules", *(f"{one}/rules.yaml" for one in rules))
            )
            tests = (f"{one}/rules.test.yaml" for one in rules)
            yield Check(f"{environment}: tests of alerts", ("promtool", "test", "rules", *tests))
        alertmanager = root / environment / ENVIRONMENT_FOLDER / "alertmanager.yaml"
        if alertmanager.parent in inside and alertmanager.is_file():
            yield Check(f"{environment}: Alertmanager", ("amtool", "check-config", str(alertmanager)))
        for one in inside:
            if (one / "values.yaml").is_file() and (root / "chart").is_dir():
                words = ("helm", "lint", "--strict", "--quiet", str(root / "chart"), "-f", f"{one}/values.yaml")
                yield Check(f"{environment}: {one.name}'s values", words)
    if "images" in folders:
        files = sorted(map(str, (root / "images").glob("*.Dockerfile")))
        yield Check("images", ("hadolint", *files))


def _schemas(schemas: str, version: str) -> tuple[str, ...]:
    options = ("-strict", "-summary", "-ignore-filename-pattern", "kustomization")
    if schemas == DOWNLOADED:
        return (*options, "-ignore-missing-schemas", "-kubernetes-version", f"{version}.0")
    kinds = f"{schemas}/{version}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json"
    crds = f"{schemas}/crds/{{{{.ResourceKind}}}}-{{{{.ResourceAPIVersion}}}}.json"
    return (*options, "-schema-location", kinds, "-schema-location", crds)


def run(check: Check) -> CheckResult:
    """Run a check."""
    program = shutil.which(check.program)
    if program is None:
        return CheckResult(check, None, "")
    result = subprocess.run([program, *check.command[1:]], capture_output=True, text=True, check=False)  # noqa: S603 - no shell
    return CheckResult(check, result.returncode, (result.stdout + result.stderr).strip())
