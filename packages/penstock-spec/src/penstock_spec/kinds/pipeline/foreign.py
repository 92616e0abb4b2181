"""Words that people bring from KEDA, Kubernetes, Redis and their own workers, and what they are called here."""

from __future__ import annotations

from penstock_spec.kinds.kind import ForeignField

_MADE = "the generator writes it from `stream.retention`; take it out"

FOREIGN = {
    "minReplicaCount": ForeignField("write `scaling.replicas.min`"),
    "maxReplicaCount": ForeignField("write `scaling.replicas.max`"),
    "minReplicas": ForeignField("write `scaling.replicas.min`"),
    "maxReplicas": ForeignField("write `scaling.replicas.max`"),
    "idleReplicaCount": ForeignField("KEDA takes only 0 there: write `scaling.replicas.min: 0`"),
    "pollingInterval": ForeignField("write `scaling.poll`, such as `5s`"),
    "cooldownPeriod": ForeignField(
        "write `scaling.cooldown` (only to zero) or `scaling.scale_down.window` (every step down)"
    ),
    "pendingEntriesCount": ForeignField("write `scaling.backlog_per_replica`"),
    "lagCount": ForeignField("write `scaling.backlog_per_replica`"),
    "streamLength": ForeignField("write `scaling.backlog_per_replica`"),
    "activationLagCount": ForeignField("any message wakes a pipeline; take it out"),
    "consumerGroup": ForeignField("write `stream.group`"),
    "consumer_group": ForeignField("write `stream.group`"),
    "terminationGracePeriodSeconds": ForeignField("write `shutdown.grace`, such as `90s`"),
    "stabilizationWindowSeconds": ForeignField("write `scaling.scale_down.window`, such as `5m`"),
    "replicas": ForeignField("write `scaling.replicas.min` and `scaling.replicas.max`"),
    "triggers": ForeignField(_MADE),
    "signal": ForeignField(_MADE),
    "formula": ForeignField(_MADE),
    "maxlen": ForeignField("write `stream.backlog.limit` for what may wait, or `stream.retention.keep` for history"),
    "MAXLEN": ForeignField("write `stream.backlog.limit` for what may wait, or `stream.retention.keep` for history"),
    "batch_size": ForeignField("write `work.concurrency`"),
    "prefetch": ForeignField("nothing is read before it can start; write `work.concurrency`"),
    "visibility_timeout": ForeignField("write `work.lease`; a running message keeps its lease however long it runs"),
    "retry_idle_ms": ForeignField("write `work.lease`, such as `30s`"),
    "max_attempts": ForeignField("write `retries.attempts`"),
    "max_retries": ForeignField("write `retries.attempts`, the first attempt included"),
    "max_deliveries": ForeignField("write `retries.attempts`"),
    "dlq": ForeignField("write `dead_letter`"),
    "deadletter": ForeignField("write `dead_letter`"),
    "start": ForeignField(
        "groups are made at the stream's beginning, so that nothing is passed over", "group-starts-at-end"
    ),
    "start_id": ForeignField(
        "groups are made at the stream's beginning, so that nothing is passed over", "group-starts-at-end"
    ),
    "password": ForeignField("name a Kubernetes secret under `redis.auth` of the platform file", "plaintext-password"),
}
