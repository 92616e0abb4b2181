"""What helm makes of the generated chart, and the manifests beside which it is held."""

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

GENERATED = Path(__file__).parents[2] / "generated"
CHART = GENERATED / "chart"
COMMITTED = sorted(GENERATED.glob("*/[!_]*/values.yaml"))
Objects = dict[tuple[str, str], Any]


def helm(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["helm", *map(str, words)], capture_output=True, text=True, check=False)


def of_chart(values: Path, *options: str) -> Objects:
    ran = helm("template", "some-release", CHART, "--namespace", "elsewhere", "-f", values, *options)
    assert ran.returncode == 0, ran.stderr
    return objects(yaml.load_all(ran.stdout, yaml.CSafeLoader))


def of_manifests(folder: Path) -> Objects:
    files = [file for file in folder.iterdir() if file.name != "kustomization.yaml"]
    return objects(yaml.load(file.read_bytes(), yaml.CSafeLoader) for file in files)


def objects(documents: Iterable[Any]) -> Objects:
    """By kind and name; each there once, and none empty."""
    found = list(documents)
    named = {(one["kind"], one["metadata"]["name"]): one for one in found}
    assert len(named) == len(found)
    return named
