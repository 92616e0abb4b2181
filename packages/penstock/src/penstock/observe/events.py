"""The events that the runtime logs: a closed set, which readers of logs match on.

Each line of the runtime has one of these as its `event`. `event_lines` defines their messages and fields.
"""

from __future__ import annotations

from enum import StrEnum


class Event(StrEnum):
    """One kind of line in a log of Penstock."""

    # a process, from its start to its end
    WORKER_STARTED = "worker.started"
    WORKER_IDLE = "worker.idle"
    WORKER_STOPPED = "worker.stopped"
    JANITOR_STARTED = "janitor.started"
    JANITOR_STOPPED = "janitor.stopped"
    SCHEDULER_STARTED = "scheduler.started"
    SCHEDULER_STOPPED = "scheduler.stopped"
    HTTP_LISTENING = "http.listening"
    HTTP_REQUEST_FAILED = "http.request_failed"
    METRICS_COLLECTOR_FAILED = "metrics.collector_failed"
    FILES_CHANGED = "files.changed"
    LOOP_BLOCKED = "loop.blocked"
    HANDLER_STUCK = "handler.stuck"
    LOOP_EXCEPTION = "loop.exception"
    EXIT_IGNORED = "process.exit_ignored"
    PART_FAILED = "process.part_failed"

    # a shutdown
    SIGNAL_RECEIVED = "signal.received"
    SIGNAL_REPEATED = "signal.repeated"
    DRAIN_STARTED = "drain.started"
    DRAIN_WAITING = "drain.waiting"
    DRAIN_CANCELLING = "drain.cancelling"
    DRAIN_STUCK = "drain.stuck"
    DRAIN_FINISHED = "drain.finished"
    DRAIN_INCOMPLETE = "drain.incomplete"
    LIFESPAN_EXIT_FAILED = "lifespan.exit_failed"
    SIDECAR_STOP_REQUESTED = "sidecar.stop_requested"
    SIDECAR_STOP_FAILED = "sidecar.stop_failed"

    # Redis, consumers and leases
    REDIS_UNREACHABLE = "redis.unreachable"
    REDIS_REFUSED = "redis.refused"
    REDIS_UNEXPECTED_REPLY = "redis.unexpected_reply"
    REDIS_REACHABLE = "redis.reachable"
    REDIS_EVICTS = "redis.evicts"
    REDIS_TOO_OLD = "redis.too_old"
    REDIS_UNREPLICATED = "redis.unreplicated"
    REDIS_SCRIPT_EVICTED = "redis.script_evicted"
    BREAKER_OPENED = "breaker.opened"
    CONSUMER_JOINED = "consumer.joined"
    LEASE_EXPIRING = "lease.expiring"
    LEASE_EXPIRED = "lease.expired"
    LEASE_RENEWED_LATE = "lease.renewed_late"
    LEASE_LOST = "lease.lost"
    GROUP_CREATED = "group.created"
    GROUP_RECREATED = "group.recreated"

    # one message
    MESSAGE_STARTED = "message.started"
    MESSAGE_ENDED = "message.ended"
    MESSAGE_FAILED = "message.failed"
    MESSAGE_TIMED_OUT = "message.timed_out"
    MESSAGE_CRASHED = "message.crashed"
    MESSAGE_UNREADABLE = "message.unreadable"
    MESSAGE_NEWER = "message.newer"
    MESSAGE_DEAD = "message.dead"
    MESSAGE_NOT_BURIED = "message.not_buried"
    MESSAGE_NOT_CLASSIFIED = "message.not_classified"
    HANDLER_ABANDONED = "handler.abandoned"
    CANCELLATION_SWALLOWED = "handler.cancellation_swallowed"
    MIDDLEWARE_FAILED = "middleware.failed"

    # several messages
    MESSAGES_LOST = "messages.lost"
    MESSAGES_GIVEN_BACK = "messages.given_back"
    MESSAGES_TAKEN_OVER = "messages.taken_over"
    MESSAGES_RECONCILED = "messages.reconciled"
    OUTCOMES_FENCED = "outcomes.fenced"
    OUTCOMES_GONE = "outcomes.gone"

    # child processes
    ISOLATION_FAILED = "isolation.failed"
    ISOLATION_RECOVERED = "isolation.recovered"
    ISOLATION_SLOW = "isolation.slow"

    # a janitor
    JANITOR_BECAME_LEADER = "janitor.became_leader"
    JANITOR_BECAME_STANDBY = "janitor.became_standby"
    JANITOR_TASK_FAILED = "janitor.task_failed"
    JANITOR_ROUND_ENDED = "janitor.round_ended"
    JANITOR_TASK_RECOVERED = "janitor.task_recovered"
    GHOST_FOUND = "ghost.found"
    GHOST_REMOVED = "ghost.removed"

    # a scheduler and its jobs
    SCHEDULER_BECAME_LEADER = "scheduler.became_leader"
    SCHEDULER_BECAME_STANDBY = "scheduler.became_standby"
    SCHEDULER_SUMMARY = "scheduler.summary"
    SCHEDULER_DEGRADED = "scheduler.degraded"
    SCHEDULER_HEALTHY = "scheduler.healthy"
    SPEC_INVALID = "spec.invalid"
    PATTERNS_CHANGED = "patterns.changed"
    JOB_STARTED = "job.started"
    JOB_ENDED = "job.ended"
    JOB_FAILED = "job.failed"
    JOB_OVERRAN = "job.overran"
    JOB_ABANDONED = "job.abandoned"
    JOB_CRASHED = "job.crashed"
    JOB_GIVEN_UP = "job.given_up"
    JOB_LOST_AGAIN = "job.lost_again"
    JOB_NOT_STARTED = "job.not_started"
    JOB_FENCED = "job.fenced"
    JOBS_INVALID = "jobs.invalid"
    JOBS_LIST_FAILED = "jobs.list_failed"
    JOBS_PASSED_OVER = "jobs.passed_over"
    JOBS_NOT_HANDED_BACK = "jobs.not_handed_back"
    JOBS_RETURNED = "jobs.returned"
    JOBS_REMOVED = "jobs.removed"
    ORPHANS_CHECK_FAILED = "orphans.check_failed"
    PODS_LOST = "pods.lost"


class Activity(StrEnum):
    """What a process was doing when Redis failed: the field `activity`."""

    CONNECTING = "connecting"
    RENEWING = "renewing the lease"
    READING = "reading messages"
    CLAIMING = "claiming messages"
    UNBLOCKING = "unblocking a read"
    AUDITING = "listing owned messages"
    COMPARING = "comparing owned messages with running ones"
    SETTLING = "settling messages"
    PROMOTING = "promoting due messages"
    TAKING_OVER = "taking over messages"
    BRINGING_BACK = "bringing back messages"
    CREATING_GROUP = "creating the consumer group"
    MAINTAINING = "maintaining pipelines"
    SENDING = "sending messages"
    TAKING_JOBS = "taking jobs"
    HANDING_BACK_JOBS = "handing back jobs"
    REGISTERING_JOBS = "registering jobs"
