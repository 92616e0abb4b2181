"""Words that people bring from KEDA, Kubernetes, Redis and their own workers, and what they are called here."""

from __future__ import annotations

from penstock_spec.kinds.kind import Foreign

_MADE = "the generator writes it from `stream.retention`; take it out"

FOREIGN = {
    "minReplicaCount": Foreign("write `scaling.replicas.min`"),
    "maxReplicaCount": Foreign("write `scaling.replicas.max`"),
    "minReplicas": Foreign("write `scaling.replicas.min`"),
    "maxReplicas": Foreign("write `scaling.replicas.max`"),
    "idleReplicaCount": Foreign("KEDA takes only 0 there: write `scaling.replicas.min: 0`"),
    "pollingInterval": Foreign("write `scaling.poll`, such as `5s`"),
    "cooldownPeriod": Foreign(
        "write `scaling.cooldown` (only to zero) or `scaling.scale_down.window` (every step down)"
    ),
    "pendingEntriesCount": Foreign("write `scaling.backlog_per_replica`"),
    "lagCount": Foreign("write `scaling.backlog_per_replica`"),
    "streamLength": Foreign("write `scaling.backlog_per_replica`"),
    "activationLagCount": Foreign("any message wakes a pipeline; take it out"),
    "consumerGroup": Foreign("write `stream.group`"),
    "consumer_group": Foreign("write `stream.group`"),
    "terminationGracePeriodSeconds": Foreign("write `shutdown.grace`, such as `90s`"),
    "stabilizationWindowSeconds": Foreign("write `scaling.scale_down.window`, such as `5m`"),
    "replicas": Foreign("write `scaling.replicas.min` and `scaling.replicas.max`"),
    "triggers": Foreign(_MADE),
    "signal": Foreign(_MADE),
    "formula": Foreign(_MADE),
    "maxlen": Foreign("write `stream.backlog.limit` for what may wait, or `stream.retention.keep` for history"),
    "MAXLEN": Foreign("write `stream.backlog.limit` for what may wait, or `stream.retention.keep` for history"),
    "batch_size": Foreign("write `work.concurrency`"),
    "prefetch": Foreign("nothing is read before it can start; write `work.concurrency`"),
    "visibility_timeout": Foreign("write `work.lease`; a running message keeps its lease however long it runs"),
    "retry_idle_ms": Foreign("write `work.lease`, such as `30s`"),
    "max_attempts": Foreign("write `retries.attempts`"),
    "max_retries": Foreign("write `retries.attempts`, the first attempt included"),
    "max_deliveries": Foreign("write `retries.attempts`"),
    "dlq": Foreign("write `dead_letter`"),
    "deadletter": Foreign("write `dead_letter`"),
    "start": Foreign(
        "groups are made at the stream's beginning, so that nothing is passed over", "group-starts-at-end"
    ),
    "start_id": Foreign(
        "groups are made at the stream's beginning, so that nothing is passed over", "group-starts-at-end"
    ),
    "password": Foreign("name a Kubernetes secret under `redis.auth` of the platform file", "plaintext-password"),
}
