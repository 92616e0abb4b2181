"""`kind: pipeline`: a stream, its consumer group, and workers that scale with the backlog."""

from __future__ import annotations

from penstock_spec.kinds.kind import Kind
from penstock_spec.kinds.pipeline.connections import connections_per_janitor, max_connections
from penstock_spec.kinds.pipeline.derive import derive
from penstock_spec.kinds.pipeline.facts import facts
from penstock_spec.kinds.pipeline.foreign import FOREIGN
from penstock_spec.kinds.pipeline.spec import Pipeline

__all__ = ["KIND", "Pipeline"]

KIND = Kind(
    name="pipeline",
    model=Pipeline,
    derive=derive,
    required={
        "owner": "{team: media}",
        "handler": "media.jobs:handle",
        "image": "registry.example/media:1.0.0",
    },
    exposed=(
        "name",
        "stream.key",
        "stream.group",
        "stream.retention.keep",
        "dead_letter.key",
        "scaling.replicas.max",
        "work.isolation",
        "message.correlate",
        "message.make_correlation",
    ),
    facts=facts,
    connections=max_connections,
    replicas_field="scaling.replicas.max",
    janitor_connections=connections_per_janitor,
    failure_classes="retries.classes",
    rules="penstock_spec.kinds.pipeline.rules",
    families="penstock_spec.kinds.pipeline.families",
    metrics="penstock_spec.kinds.pipeline.metrics",
    rights="penstock_spec.kinds.pipeline.rights",
    command="penstock worker",
    unused_by_pods={
        **dict.fromkeys(
            ("resources", "egress", "alerts", "expect", "patches", "acknowledge", "suppress", "environments"), True
        ),
        "scaling": {
            *("replicas", "backlog_per_replica", "poll", "cooldown", "scale_down", "boost", "fallback", "paused"),
        },
    },
    foreign_fields=FOREIGN,
)
