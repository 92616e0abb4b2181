"""Write the JSON Schemas that kubeconform checks manifests with: `schemas.py PACKAGE FILE... --out FOLDER`.

PACKAGE is the unpacked wheel `kubernetes_validate`, which has Kubernetes' schemas by version; a FILE is a CRD of KEDA
or of the Prometheus operator. Each schema gets a file of its own, and is closed: an unknown field is an error. JSON,
such as KEDA's own list of the metadata of triggers, is copied unchanged.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

VERSION = re.compile(r"v(1\.\d+)\.0-local-strict")
REFERENCE = re.compile(r"(?:/api/_definitions\.json)?#/\$defs/(.+)")
PRESERVES = "x-kubernetes-preserve-unknown-fields"


def main() -> None:
    """Write all schemas."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    for folder in (given.package / "kubernetes-json-schema").iterdir():
        if match := VERSION.fullmatch(folder.name):
            to = given.out / match[1]
            to.mkdir(parents=True, exist_ok=True)
            for name, schema in of_kubernetes(folder):
                (to / name).write_text(json.dumps(schema))
    crds = given.out / "crds"
    crds.mkdir(exist_ok=True)
    for file in given.files:
        if file.suffix == ".json":
            shutil.copyfile(file, given.out / file.name)
            continue
        for name, schema in of_crd(yaml.safe_load(file.read_text(encoding="utf-8"))):
            (crds / name).write_text(json.dumps(schema))


def of_kubernetes(folder: Path) -> Iterator[tuple[str, Any]]:
    """The schemas of objects that can be applied, each with its definitions."""
    definitions = json.loads((folder / "_definitions.json").read_text(encoding="utf-8"))["$defs"]
    for file in folder.glob("[!_]*.json"):
        schema = json.loads(file.read_text(encoding="utf-8"))
        if {"apiVersion", "kind"} <= schema.get("properties", {}).keys():
            needed: dict[str, Any] = {}
            schema = _own(schema, definitions, needed)
            del schema["$id"]  # kubeconform would look there
            yield file.name, schema | {"$defs": needed}


def _own(schema: Any, definitions: dict[str, Any], needed: dict[str, Any]) -> Any:  # noqa: ANN401 - any piece of a schema
    if isinstance(schema, list):
        return [_own(one, definitions, needed) for one in schema]
    if not isinstance(schema, dict):
        return schema
    reference = schema.get("$ref")
    if isinstance(reference, str) and (match := REFERENCE.fullmatch(reference)):
        name = match[1]
        if name not in needed:
            needed[name] = True  # it may refer to itself
            needed[name] = _own(definitions[name], definitions, needed)
        return {"$ref": f"#/$defs/{name}"}
    return {key: _own(one, definitions, needed) for key, one in schema.items()}


def of_crd(crd: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """A schema for each version of a custom resource."""
    for version in crd["spec"]["versions"]:
        schema = _closed(version["schema"]["openAPIV3Schema"])
        schema["properties"]["metadata"] = {"type": "object"}
        yield f"{crd['spec']['names']['kind'].lower()}-{version['name']}.json", schema


def _closed(schema: Any) -> Any:  # noqa: ANN401 - as above
    """Refuse unknown fields of custom resources, which the API server drops."""
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(one) for key, one in schema.items()}
    if isinstance(closed.get("properties"), dict) and not closed.get(PRESERVES):
        closed.setdefault("additionalProperties", False)
    return closed


if __name__ == "__main__":
    main()
