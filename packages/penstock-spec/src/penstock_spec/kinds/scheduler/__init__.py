"""`kind: scheduler`: recurring jobs, and the pods that run them."""

from __future__ import annotations

from penstock_spec.kinds.kind import Kind
from penstock_spec.kinds.scheduler.connections import max_connections
from penstock_spec.kinds.scheduler.derive import derive
from penstock_spec.kinds.scheduler.facts import facts
from penstock_spec.kinds.scheduler.foreign import FOREIGN
from penstock_spec.kinds.scheduler.spec import Scheduler

__all__ = ["KIND", "Scheduler"]

KIND = Kind(
    name="scheduler",
    model=Scheduler,
    derive=derive,
    required={
        "owner": "{team: caching}",
        "image": "registry.example/caching:1.0.0",
        "handler": "caching.jobs:run",
        "jobs": "[{name: images, every: 30s}]",
    },
    exposed=(
        "name",
        "keys.prefix",
        "keys.waiting",
        "keys.working",
        "keys.cleanup_leader",
        "keys.hash_tag",
    ),
    facts=facts,
    connections=max_connections,
    replicas_field="replicas",
    failure_classes="failures.classes",
    rules="penstock_spec.kinds.scheduler.rules",
    families="penstock_spec.kinds.scheduler.families",
    metrics="penstock_spec.kinds.scheduler.metrics",
    rights="penstock_spec.kinds.scheduler.rights",
    command="penstock scheduler run",
    unused_by_pods=dict.fromkeys(
        ("resources", "egress", "replicas", "alerts", "patches", "acknowledge", "suppress", "environments"), True
    ),
    foreign_fields=FOREIGN,
)
