"""Runs kubeconform with the schemas that `make validators` installs."""

import subprocess
from pathlib import Path


def conform(root: Path, version: str, *paths: Path) -> subprocess.CompletedProcess[str]:
    """Validate strictly for a version of Kubernetes: unknown fields and kinds without a schema are errors."""
    schemas = root / "build/validators/schemas"
    locations = [
        f"{schemas}/{version}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json",
        f"{schemas}/crds/{{{{.ResourceKind}}}}-{{{{.ResourceAPIVersion}}}}.json",
    ]
    options = [word for one in locations for word in ("-schema-location", one)]
    command = ["kubeconform", "-strict", "-ignore-filename-pattern", "kustomization", *options, *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True, check=False)
