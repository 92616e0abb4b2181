"""The artifacts of the repository."""

from __future__ import annotations

from penstock_generate.catalogue import Known, known
from penstock_spec import json_schema

OBJECTS = (
    "configmap", "dashboard", "deployment", "networkpolicy", "poddisruptionbudget", "podmonitor", "prometheusrule",
    "scaledobject", "serviceaccount", "triggerauthentication",
)  # fmt: skip
FILES = (
    Known(
        tuple(f"schemas/{name}" for name in json_schema.files()),
        "The JSON Schema of a file that people write",
        "editors",
    ),
    known("images/worker.Dockerfile", "An image of a team's code, to begin from", "Docker"),
    known("images/worker.Dockerfile.dockerignore", "What does not get into it", "Docker"),
    known("images/janitor.Dockerfile", "The janitor's image", "Docker"),
    known("chart/Chart.yaml", "A chart of one pipeline", "Helm"),
    known("chart/values.yaml", "The chart's values, with what they mean", "Helm"),
    known("chart/values.schema.json", "What values the chart takes", "Helm"),
    Known(
        tuple(f"chart/templates/{name}.yaml" for name in OBJECTS),
        "The object of this name in `manifests/`, from `values.yaml`",
        "Helm",
    ),
    known("chart/templates/_helpers.tpl", "What several of the chart's templates say", "Helm"),
    known("chart/templates/_patches.tpl", "Patches of the spec, applied by the chart", "Helm"),
    known("chart/.helmignore", "What does not get into a packed chart", "Helm"),
    Known(
        ("chart/FILES", "images/FILES", "schemas/FILES"),
        "What was generated in the folder, with digests: what is not listed is never touched",
        "penstock",
    ),
)
