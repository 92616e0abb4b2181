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
    entry("images/worker.Dockerfile", "An image of a team's code, as a starting point", "Docker"),
    entry("images/worker.Dockerfile.dockerignore", "Files that the image leaves out", "Docker"),
    entry("images/janitor.Dockerfile", "The janitor's image", "Docker"),
    entry("chart/Chart.yaml", "A chart of one pipeline", "Helm"),
    entry("chart/values.yaml", "The chart's values and their meaning", "Helm"),
    entry("chart/values.schema.json", "The JSON Schema of the chart's values", "Helm"),
    CatalogueEntry(
        tuple(f"chart/templates/{name}.yaml" for name in OBJECTS),
        "The object of this name in `manifests/`, from `values.yaml`",
        "Helm",
    ),
    entry("chart/templates/_helpers.tpl", "Parts that several of the chart's templates share", "Helm"),
    entry("chart/templates/_patches.tpl", "Patches of the spec, applied by the chart", "Helm"),
    entry("chart/.helmignore", "Files that a packed chart leaves out", "Helm"),
    CatalogueEntry(
        ("chart/FILES", "images/FILES", "schemas/FILES"),
        "The generated files of the folder, with digests; other files are never touched",
        "penstock",
    ),
)
