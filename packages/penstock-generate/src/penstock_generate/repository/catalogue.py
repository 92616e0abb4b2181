"""The artifacts of the repository."""

from __future__ import annotations

from penstock_generate.catalogue import CatalogueEntry, entry
from penstock_spec import json_schema

OBJECTS = (
    "configmap", "dashboard", "deployment", "networkpolicy", "poddisruptionbudget", "podmonitor", "prometheusrule",
    "scaledobject", "serviceaccount", "triggerauthentication",
)  # fmt: skip
FILES = (
    CatalogueEntry(
        tuple(f"schemas/{name}" for name in json_schema.files()),
        "The JSON Schema of a file that people write",
        "editors",
    ),
    entry("images/worker.Dockerfile", "An image of a team's code, to begin from", "Docker"),
    entry("images/worker.Dockerfile.dockerignore", "What does not get into it", "Docker"),
    entry("images/janitor.Dockerfile", "The janitor's image", "Docker"),
    entry("chart/Chart.yaml", "A chart of one pipeline", "Helm"),
    entry("chart/values.yaml", "The chart's values, with what they mean", "Helm"),
    entry("chart/values.schema.json", "What values the chart takes", "Helm"),
    CatalogueEntry(
        tuple(f"chart/templates/{name}.yaml" for name in OBJECTS),
        "The object of this name in `manifests/`, from `values.yaml`",
        "Helm",
    ),
    entry("chart/templates/_helpers.tpl", "What several of the chart's templates say", "Helm"),
    entry("chart/templates/_patches.tpl", "Patches of the spec, applied by the chart", "Helm"),
    entry("chart/.helmignore", "What does not get into a packed chart", "Helm"),
    CatalogueEntry(
        ("chart/FILES", "images/FILES", "schemas/FILES"),
        "What was generated in the folder, with digests: what is not listed is never touched",
        "penstock",
    ),
)
