"""Terms of other schedulers (Clouddriver, Celery beat, APScheduler, cron), and the fields that replace them."""

from __future__ import annotations

from penstock_spec.kinds.kind import ForeignField

_ENABLED = "write `patterns.enabled`"
_WHEN = "write `every`, such as `30s`, or `cron`"

FOREIGN = {
    # Clouddriver's priority scheduler
    "max-concurrent-agents": ForeignField("write `work.concurrency`"),
    "enabled-pattern": ForeignField(_ENABLED),
    "disabled-pattern": ForeignField("write `patterns.disabled`"),
    "interval-ms": ForeignField(
        "write `work.interval` for how often pods check; in a cleanup write `every`, such as `5m`"
    ),
    "redis": ForeignField(
        "remove it: the platform file says where Redis is; what is below `redis.scheduler` and `redis.agent` belongs "
        "at the top of the spec"
    ),
    "scheduler": ForeignField("move what is below it to the top of the spec"),
    "agent": ForeignField("write `work.concurrency` and `patterns`"),
    "reconcile": ForeignField("write `refresh`"),
    "refresh-period-seconds": ForeignField("write `refresh.every`, such as `30s`"),
    "health-summary-period-seconds": ForeignField("write `health.summary`, such as `10m`; `0s` disables it"),
    "time-cache-duration-ms": ForeignField("remove it; pods correct their clocks with every reply of Redis"),
    "clock": ForeignField("remove it; pods correct their clocks with every reply of Redis"),
    "batch-operations": ForeignField("write `work.batch` and `work.scan_factor`"),
    "batch-size": ForeignField("write `work.batch`, which is at most 250"),
    "chunk-attempt-multiplier": ForeignField("write `work.scan_factor`"),
    "initial-registration-seconds": ForeignField("write `jitter.registration`, such as `30s`"),
    "shutdown-seconds": ForeignField("write `jitter.shutdown`, such as `5s`"),
    "failure-backoff-ratio": ForeignField("write `jitter.failure`, such as `0.1`"),
    "failure-backoff": ForeignField("write `failures`, with `by_class: true`"),
    "max-immediate-retries": ForeignField("write `immediate` for a class of `failures.classes`"),
    "permanent-forbidden-backoff-ms": ForeignField("write `failures.classes.forbidden.backoff.first`, such as `30m`"),
    "throttled": ForeignField("write `failures.classes.throttled.backoff`"),
    "circuit-breaker": ForeignField("write `breakers`"),
    "failure-threshold": ForeignField("write `breakers.failures`"),
    "failure-window-ms": ForeignField("write `breakers.within`, such as `10s`"),
    "cooldown-ms": ForeignField("write `breakers.cooldown`, such as `30s`"),
    "half-open-duration-ms": ForeignField("write `breakers.half_open`, such as `5s`"),
    "zombie-cleanup": ForeignField("write `cleanup.zombies`"),
    "orphan-cleanup": ForeignField("write `cleanup.orphans`"),
    "exceptional-agents": ForeignField("write `cleanup.zombies.exceptional`"),
    "threshold-ms": ForeignField("write `threshold`, such as `30s`"),
    "run-budget-ms": ForeignField("write `budget`, such as `5s`"),
    "leadership-ttl-ms": ForeignField("write `cleanup.orphans.leadership`, such as `2m`"),
    "force-all-pods": ForeignField("write `cleanup.orphans.force_all_pods`"),
    "remove-numeric-only-agents": ForeignField("write `cleanup.orphans.remove_numeric`"),
    "executor-shutdown-await-ms": ForeignField("write `shutdown.cancel`, such as `10s`"),
    "executor-shutdown-force-await-ms": ForeignField("write `shutdown.force`, such as `5s`"),
    "waiting-set": ForeignField("write `keys.waiting`"),
    "working-set": ForeignField("write `keys.working`"),
    "cleanup-leader-key": ForeignField("write `keys.cleanup_leader`"),
    "hash-tag": ForeignField("write `keys.hash_tag`"),
    "agents": ForeignField("write `jobs`"),
    "errorInterval": ForeignField("write `error_interval`"),
    # Celery beat
    "beat_schedule": ForeignField("write `jobs`, a list of jobs with `every` or `cron`"),
    "schedule": ForeignField(_WHEN),
    "crontab": ForeignField('write `cron`, such as `"*/5 * * * *"`'),
    "task": ForeignField("write `handler` for a function, or `send` for a message to a pipeline"),
    "kwargs": ForeignField("write `args`, a section of named arguments"),
    "timezone": ForeignField("write `time_zone`, such as `Europe/Berlin`"),
    "expires": ForeignField("write `missed.run: skip`"),
    "max_loop_interval": ForeignField("write `work.interval`"),
    "worker_concurrency": ForeignField("write `work.concurrency`"),
    # APScheduler
    "trigger": ForeignField(_WHEN),
    "seconds": ForeignField("write `every`, such as `30s`"),
    "minutes": ForeignField("write `every`, such as `5m`"),
    "hours": ForeignField("write `every`, such as `1h`"),
    "func": ForeignField("write `handler`, as `module:function`"),
    "id": ForeignField("write `name`"),
    "coalesce": ForeignField("write `missed.run: once`, or `all`"),
    "misfire_grace_time": ForeignField("write `missed.run`: `once`, `skip` or `all`"),
    "max_instances": ForeignField("remove it; a job never runs twice at the same time"),
    "next_run_time": ForeignField("remove it; a new job is due immediately, or within `jitter.registration`"),
    # cron, Kubernetes CronJobs and similar
    "concurrencyPolicy": ForeignField("remove it; a job never runs twice at the same time"),
    "startingDeadlineSeconds": ForeignField("write `missed.run`: `once`, `skip` or `all`"),
    "activeDeadlineSeconds": ForeignField("write `timeout`"),
    "timeZone": ForeignField("write `time_zone`"),
    "tz": ForeignField("write `time_zone`"),
    "interval": ForeignField("write `every` in a job, or `work.interval` for how often pods check"),
    "suspend": ForeignField("write `patterns.disabled`, or use `penstock scheduler pause`"),
    "backoffLimit": ForeignField("remove it; a failed job always runs again, after the wait set in `failures`"),
    "lock_ttl": ForeignField("write `timeout`"),
    "terminationGracePeriodSeconds": ForeignField("write `shutdown.grace`, such as `30s`"),
    "password": ForeignField("name a Kubernetes secret under `redis.auth` in the platform file", "plaintext-password"),
}
