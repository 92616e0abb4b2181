"""A compose file, with which all pipelines of an environment run on a laptop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from penstock_generate.artifact import Artifact
from penstock_generate.environment.manifests import janitor_image
from penstock_generate.plan import Whole
from penstock_generate.text import document

URL = "redis://redis:6379"
READY = {"redis": {"condition": "service_healthy"}}


def emit(it: Whole) -> Iterator[Artifact]:
    """The file."""
    yield Artifact(f"{it.folder}/compose.yaml", document(composed(it)), __name__)


def composed(it: Whole) -> dict[str, Any]:
    """As Compose reads it. Workers have a prefix, so that no pipeline is called as something else here."""
    files = {one.name: f"../{one.name}/worker.json" for one in it.members}
    workers = {
        f"worker-{one.name}": _ours(one.image, "worker", "/etc/penstock/worker.json")
        | {
            "stop_grace_period": f"{one.grace_seconds}s",
            "volumes": [_mounted(files[one.name], "/etc/penstock/worker.json")],
        }
        for one in it.members
    }
    janitor = _ours(janitor_image(it), "janitor", "/etc/penstock/pipelines") | {
        "volumes": [_mounted(file, f"/etc/penstock/pipelines/{name}.json") for name, file in files.items()]
    }
    return {
        "name": f"penstock-{it.environment}",
        "services": {"redis": _redis(it), "janitor": janitor, **workers},
        "volumes": {"redis": {}},
    }


def _redis(it: Whole) -> dict[str, Any]:
    """Of the version that is installed there, and as safe: what was acknowledged is kept, and nothing is evicted."""
    settings = {"--appendonly": "yes", "--appendfsync": "everysec", "--maxmemory-policy": "noeviction"}
    return {
        "image": f"redis:{it.around.versions.redis}-alpine",
        "command": ["redis-server", *(word for setting in settings.items() for word in setting)],
        "healthcheck": {"test": ["CMD", "redis-cli", "ping"], "interval": "2s", "timeout": "2s", "retries": 15},
        "ports": ["127.0.0.1:6379:6379"],
        "restart": "unless-stopped",
        "volumes": ["redis:/data"],
    }


def _ours(image: str, verb: str, file: str) -> dict[str, Any]:
    return {
        "image": image.replace("$", "$$"),  # Compose replaces variables in all it reads
        "command": [verb, file, "--redis", URL],
        "depends_on": READY,
        "read_only": True,
        "restart": "unless-stopped",
        "tmpfs": ["/tmp"],  # noqa: S108 - in a container of its own
    }


def _mounted(source: str, target: str) -> dict[str, Any]:
    """Where the source is missing, that is an error, and no folder is made in its place."""
    return {
        "type": "bind",
        "source": source,
        "target": target,
        "read_only": True,
        "bind": {"create_host_path": False},
    }
