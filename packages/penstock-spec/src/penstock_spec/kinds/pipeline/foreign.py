"""Terms of KEDA, Kubernetes, Redis and other worker frameworks, and the fields that replace them."""

from __future__ import annotations

from penstock_spec.kinds.kind import ForeignField

_GENERATED = "remove it; the generator derives it from `stream.retention`"

FOREIGN = {
    "minReplicaCount": ForeignField("write `scaling.replicas.min`"),
    "maxReplicaCount": ForeignField("write `scaling.replicas.max`"),
    "minReplicas": ForeignField("write `scaling.replicas.min`"),
    "maxReplicas": ForeignField("write `scaling.replicas.max`"),
    "idleReplicaCount": ForeignField("write `scaling.replicas.min: 0`; KEDA accepts only 0 here"),
    "pollingInterval": ForeignField("write `scaling.poll`, such as `5s`"),
    "cooldownPeriod": ForeignField(
        "write `scaling.cooldown` (step to zero) or `scaling.scale_down.window` (all other scale-downs)"
    ),
    "pendingEntriesCount": ForeignField("write `scaling.backlog_per_replica`"),
    "lagCount": ForeignField("write `scaling.backlog_per_replica`"),
    "streamLength": ForeignField("write `scaling.backlog_per_replica`"),
    "activationLagCount": ForeignField("remove it; any message wakes a pipeline"),
    "consumerGroup": ForeignField("write `stream.group`"),
    "consumer_group": ForeignField("write `stream.group`"),
    "terminationGracePeriodSeconds": ForeignField("write `shutdown.grace`, such as `90s`"),
    "stabilizationWindowSeconds": ForeignField("write `scaling.scale_down.window`, such as `5m`"),
    "replicas": ForeignField("write `scaling.replicas.min` and `scaling.replicas.max`"),
    "triggers": ForeignField(_GENERATED),
    "signal": ForeignField(_GENERATED),
    "formula": ForeignField(_GENERATED),
    "maxlen": ForeignField(
        "write `stream.backlog.limit` to limit the backlog, or `stream.retention.keep` to keep history"
    ),
    "MAXLEN": ForeignField(
        "write `stream.backlog.limit` to limit the backlog, or `stream.retention.keep` to keep history"
    ),
    "batch_size": ForeignField("write `work.concurrency`"),
    "prefetch": ForeignField("write `work.concurrency`; a message is read only when it can start"),
    "visibility_timeout": ForeignField("write `work.lease`; a worker renews its lease while messages run"),
    "retry_idle_ms": ForeignField("write `work.lease`, such as `30s`"),
    "max_attempts": ForeignField("write `retries.attempts`"),
    "max_retries": ForeignField("write `retries.attempts`, which includes the first attempt"),
    "max_deliveries": ForeignField("write `retries.attempts`"),
    "dlq": ForeignField("write `dead_letter`"),
    "deadletter": ForeignField("write `dead_letter`"),
    "start": ForeignField(
        "remove it; groups always start at the beginning of the stream, so that no message is skipped",
        "group-starts-at-end",
    ),
    "start_id": ForeignField(
        "remove it; groups always start at the beginning of the stream, so that no message is skipped",
        "group-starts-at-end",
    ),
    "password": ForeignField("name a Kubernetes secret under `redis.auth` in the platform file", "plaintext-password"),
}
