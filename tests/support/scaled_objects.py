"""Minimal ScaledObjects for tests."""

from collections.abc import Mapping
from typing import Any

from penstock_scaling import Settings, settings_of

Manifest = dict[str, Any]

TRIGGERS: Mapping[str, Manifest] = {
    "length": {"type": "redis-streams", "metadata": {"stream": "jobs", "streamLength": "5"}},
    "lag": {"type": "redis-streams", "metadata": {"stream": "jobs", "consumerGroup": "workers", "lagCount": "5"}},
    "pending": {"type": "redis-streams", "metadata": {"stream": "jobs", "consumerGroup": "workers"}},
    "list": {"type": "redis", "metadata": {"listName": "parked"}},
    "http": {"type": "metrics-api", "metadata": {"url": "http://janitor/oldest", "targetValue": "5"}},
}
DEPTH = {"depth": "length"}


def scaled_object(
    triggers: Mapping[str, str] = DEPTH,
    spec: Manifest | None = None,
    formula: str | None = None,
    target: str = "5",
    annotations: Mapping[str, str] | None = None,
) -> Manifest:
    """A ScaledObject with these triggers, by name and kind, and these settings of `spec`."""
    settings = {"minReplicaCount": 0, "maxReplicaCount": 20, **(spec or {})}
    settings["triggers"] = [
        {"name": name, "type": TRIGGERS[kind]["type"], "metadata": dict(TRIGGERS[kind]["metadata"])}
        for name, kind in triggers.items()
    ]
    if formula:
        advanced = settings.get("advanced", {})
        modifiers = {"formula": formula, "target": target, **advanced.get("scalingModifiers", {})}
        settings["advanced"] = {**advanced, "scalingModifiers": modifiers}
    prefixed = {f"autoscaling.keda.sh/{name}": value for name, value in (annotations or {}).items()}
    return {"metadata": {"name": "jobs", "annotations": prefixed}, "spec": settings}


def scaling(
    *, poll: int = 10, cooldown: int = 60, target: float = 5, behavior: Manifest | None = None, **spec: int
) -> Settings:
    """Settings with a formula over the stream's length; `spec` adds fields of the manifest."""
    manifest: Manifest = {"pollingInterval": poll, "cooldownPeriod": cooldown, **spec}
    if behavior is not None:
        manifest["advanced"] = {"horizontalPodAutoscalerConfig": {"behavior": behavior}}
    return settings_of(scaled_object(DEPTH, manifest, "depth", str(target)))
