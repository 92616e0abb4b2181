"""`terraform.tfvars.json`: requirements on the infrastructure of an environment. Secrets appear by name only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from penstock_generate.environment.alertmanager import PAGERDUTY_KEY, SLACK
from penstock_generate.environment.manifests import janitor_image
from penstock_generate.inputs.plan import PlannedEnvironment
from penstock_generate.rendering.artifact import Artifact
from penstock_spec.kinds.pipeline.connections import connections_per_janitor


def emit(it: PlannedEnvironment) -> Iterator[Artifact]:
    """The file."""
    text = json.dumps(needs(it), indent=2, sort_keys=True, ensure_ascii=False)
    yield Artifact(f"{it.folder}/terraform.tfvars.json", f"{text}\n", __name__)


def needs(it: PlannedEnvironment) -> dict[str, Any]:
    """Values of variables by name."""
    versions = it.around.versions
    return {
        "environment": it.environment,
        "namespace": it.around.namespace,
        "images": sorted({*([janitor_image(it)] if it.maintained else []), *(one.image for one in it.members)}),
        "redis": _redis(it),
        "secrets": sorted(_secrets(it), key=lambda one: str(one["name"])),
        "kubernetes": {"version": str(versions.kubernetes), "pod_security": "restricted"},
        "keda": {"version": str(versions.keda), "metrics_scraped": True},
        "prometheus_operator": {"version": str(versions.prometheus_operator)},
        # Scrape targets that the alerts need besides Penstock's processes.
        "exporters": {"kube_state_metrics": True, "redis_exporter": {"namespace": it.around.namespace}},
        "dashboard_folder": it.around.dashboard_folder,
    }


def _redis(it: PlannedEnvironment) -> dict[str, Any]:
    redis, janitor = it.around.redis, it.around.janitor
    specs = sum(one.connections for one in it.members)
    janitors = janitor.replicas * connections_per_janitor(len(it.maintained), redis.topology) if it.maintained else 0
    return {
        "addresses": redis.addresses,
        "topology": redis.topology,
        "master": redis.master,
        "database": redis.database,
        "tls": redis.tls,
        "username": redis.auth.username if redis.auth else None,
        "version": str(it.around.versions.redis),
        "max_memory_bytes": redis.memory.amount if redis.memory else None,
        # The largest backlog. Most bodies are smaller; history and dead letters come on top.
        "backlog_messages_at_most": sum(one.backlog for one in it.members),
        "backlog_bytes_at_most": sum(one.backlog_bytes for one in it.members),
        "eviction_policy": redis.eviction,
        "persistence": {"appendonly": True, "appendfsync": "everysec"},
        # All pods at their maximum; senders, the scaler and people come on top.
        "min_connections": specs + janitors,
        "max_connections": redis.connections,
    }


def _secrets(it: PlannedEnvironment) -> Iterator[dict[str, Any]]:
    auth, routes = it.around.redis.auth, it.around.routes.values()
    if auth and auth.secret:
        yield {"name": auth.secret, "keys": [auth.password_key], "of": "redis", "namespace": it.around.namespace}
    if given := it.around.redis.certificate:
        keys = [given.certificate_key, given.private_key_key, *filter(None, [given.authorities_key])]
        yield {"name": given.secret, "keys": keys, "of": "redis-tls", "namespace": it.around.namespace}
    if any(route.slack for route in routes):
        name, key = SLACK
        yield {"name": name, "keys": [key], "of": "alertmanager", "namespace": None}
    for name in sorted({route.pagerduty for route in routes if route.pagerduty}):
        yield {"name": name, "keys": [PAGERDUTY_KEY], "of": "alertmanager", "namespace": None}
