"""Committed manifests conform to the schemas of Kubernetes, KEDA and the Prometheus operator."""

from pathlib import Path

import pytest
from kubeconform_check import conform

VERSIONS = ["1.31", "1.32", "1.33", "1.34", "1.35", "1.36"]


@pytest.mark.parametrize("version", VERSIONS)
def test_manifests_conform(root: Path, version: str) -> None:
    """Strictly: an unknown field, and a kind without a schema, are errors."""
    ran = conform(root, version, *(root / "generated").glob("*/*/manifests"))
    assert (ran.returncode, ran.stdout) == (0, "")


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("deployment", ("maxSurge", "maxSurges")),
        ("scaledobject", ("pollingInterval", "pollInterval")),
        ("podmonitor", ("interval: 15s", "interval: often")),
        ("prometheusrule", ("groups:", "group:")),
        ("configmap", ("kind: ConfigMap", "kind: Config")),
    ],
)
def test_the_schemas_refuse_mistakes(root: Path, tmp_path: Path, file: str, change: tuple[str, str]) -> None:
    """Schemas that accept anything would prove nothing."""
    text = (root / f"generated/production/media-cluster/manifests/{file}.yaml").read_text()
    assert change[0] in text
    (tmp_path / "wrong.yaml").write_text(text.replace(*change))
    assert conform(root, "1.36", tmp_path / "wrong.yaml").returncode == 1
