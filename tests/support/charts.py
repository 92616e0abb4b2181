"""The objects that Helm renders from the generated chart, and the manifests to compare them with."""

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
    process = helm("template", "some-release", CHART, "--namespace", "elsewhere", "-f", values, *options)
    assert process.returncode == 0, process.stderr
    return objects(yaml.load_all(process.stdout, yaml.CSafeLoader))


def of_manifests(folder: Path) -> Objects:
    files = [file for file in folder.iterdir() if file.name != "kustomization.yaml"]
    return objects(yaml.load(file.read_bytes(), yaml.CSafeLoader) for file in files)


def objects(documents: Iterable[Any]) -> Objects:
    """Index objects by kind and name; each occurs once, and none is empty."""
    listed = list(documents)
    by_name = {(one["kind"], one["metadata"]["name"]): one for one in listed}
    assert len(by_name) == len(listed)
    return by_name
