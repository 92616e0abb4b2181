"""The Compose file of an environment is valid, and runs what production runs."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

WORDS = {"type": "array", "items": {"type": "string"}, "minItems": 1}
TIME = {"type": "string", "pattern": "^[0-9]+s$"}
MOUNT = {"type": "string", "pattern": r"^\.\./[a-z0-9-]+/worker\.json:/etc/penstock/[a-z0-9/-]+\.json:ro$"}
SERVICE = {
    "type": "object",
    "properties": {
        "image": {"type": "string", "pattern": "^[^$]+[:@][^$]+$"},
        "command": WORDS,
        "depends_on": {"const": {"redis": {"condition": "service_healthy"}}},
        "healthcheck": {
            "type": "object",
            "properties": {"test": WORDS, "interval": TIME, "timeout": TIME, "retries": {"type": "integer"}},
            "required": ["test", "interval", "timeout", "retries"],
            "additionalProperties": False,
        },
        "ports": {"type": "array", "items": {"type": "string", "pattern": r"^127\.0\.0\.1:[0-9]+:[0-9]+$"}},
        "read_only": {"const": True},
        "restart": {"enum": ["unless-stopped"]},
        "stop_grace_period": TIME,
        "tmpfs": WORDS,
        "volumes": {"type": "array", "items": {"anyOf": [MOUNT, {"const": "redis:/data"}]}, "minItems": 1},
    },
    "required": ["image", "command", "restart", "volumes"],
    "additionalProperties": False,
}
COMPOSE = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]*$"},
        "services": {
            "type": "object",
            "propertyNames": {"pattern": "^[a-zA-Z0-9._-]+$"},
            "additionalProperties": SERVICE,
        },
        "volumes": {"const": {"redis": {}}},
        "x-penstock": {"type": "object"},
    },
    "required": ["name", "services", "volumes"],
    "additionalProperties": False,
}
"""The part of the Compose specification that is used here."""


@pytest.fixture(params=["dev", "production"])
def folder(root: Path, request: pytest.FixtureRequest) -> Path:
    return root / "generated" / str(request.param)


@pytest.fixture
def composed(folder: Path) -> Any:  # noqa: ANN401 - whatever Compose reads
    return yaml.safe_load((folder / "_environment/compose.yaml").read_text())


def test_the_file_follows_the_compose_specification(composed: Any) -> None:  # noqa: ANN401 - as above
    """Compose knows all names and forms, and ports are open only to this machine."""
    jsonschema_rs.validate(COMPOSE, composed)


def test_a_laptop_runs_what_production_runs(folder: Path, composed: Any) -> None:  # noqa: ANN401 - as above
    """Each spec with its worker file, the janitor with all pipelines, a sender with those that it sends to."""
    services = composed["services"]
    specs = {file.parent.name: json.loads(file.read_text())["spec"] for file in folder.glob("*/worker.json")}
    named = {name: "worker" if specs[name]["kind"] == "pipeline" else specs[name]["kind"] for name in sorted(specs)}
    names = [name for name, role in named.items() if role == "worker"]
    assert [*services] == ["redis", "janitor", *(f"{role}-{name}" for name, role in named.items())]
    for name, role in named.items():
        service = services[f"{role}-{name}"]
        pod = yaml.safe_load((folder / name / "manifests/deployment.yaml").read_text())["spec"]["template"]["spec"]
        assert service["image"] == pod["containers"][0]["image"]
        assert service["command"] == [*pod["containers"][0]["args"], "--redis", "redis://redis:6379"]
        assert service["stop_grace_period"] == f"{pod['terminationGracePeriodSeconds']}s"
        file = f"../{name}/worker.json"
        sends = [job["send"]["pipeline"] for job in specs[name].get("jobs", []) if "send" in job]
        assert service["volumes"] == [
            f"{file}:/etc/penstock/worker.json:ro",
            *(f"../{target}/worker.json:/etc/penstock/pipelines/{target}.json:ro" for target in sends),
        ]
        in_janitor = f"{file}:/etc/penstock/pipelines/{name}.json:ro" in services["janitor"]["volumes"]
        assert in_janitor is (role == "worker")
    deployment = folder / "_environment/manifests/deployment.yaml"
    janitor = yaml.safe_load(deployment.read_text())["spec"]["template"]["spec"]["containers"][0]
    assert services["janitor"]["image"] == janitor["image"]
    assert services["janitor"]["command"] == [*janitor["args"], "--redis", "redis://redis:6379"]
    assert len(services["janitor"]["volumes"]) == len(names)


def test_redis_is_durable(composed: Any) -> None:  # noqa: ANN401 - as above
    """It has the version of the environment."""
    redis = composed["services"]["redis"]
    assert redis["image"] == "redis:7.2-alpine"
    settings = "--appendonly yes --appendfsync everysec --maxmemory-policy noeviction"
    assert " ".join(redis["command"]) == f"redis-server {settings}"
