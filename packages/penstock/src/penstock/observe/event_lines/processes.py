"""Lines about processes: start, shutdown, Redis and leases."""

from __future__ import annotations

from penstock.observe.event_lines.define import AT, PIPELINE, PODS, SECONDS, TYPE, Topic, error, info, warning
from penstock.observe.events import Event

PROCESS = Topic(
    "A process starts, serves and stops",
    {
        Event.WORKER_STARTED: info(
            "Worker started",
            "worker",
            environment="the environment of the spec",
            version="Penstock's version",
            digest="the digest of the resolved spec",
        ),
        Event.WORKER_IDLE: info("Idle: no message is left; stopping, as `--until-idle` says", "worker"),
        Event.WORKER_STOPPED: info(
            "Worker stopped",
            "worker",
            exit_code="0; 1 when messages were left behind; 70 when a part of the process failed or a handler is stuck",
        ),
        Event.JANITOR_STARTED: info(
            "Janitor started", "janitor", environment="the environment", pipelines="how many pipelines it maintains"
        ),
        Event.JANITOR_STOPPED: info("Janitor stopped", "janitor", exit_code="0; 70 when a part of the process failed"),
        Event.SCHEDULER_STARTED: info(
            "Scheduler started",
            "scheduler",
            environment="the environment of the spec",
            version="Penstock's version",
            digest="the digest of the resolved spec",
        ),
        Event.SCHEDULER_STOPPED: info(
            "Scheduler stopped",
            "scheduler",
            exit_code="0; 1 when jobs were left behind; 70 when a part of the process failed",
        ),
        Event.HTTP_LISTENING: info(
            "Serving health and metrics at http://{address}:{port}",
            *PODS,
            address="where it listens",
            port="the port",
        ),
        Event.HTTP_REQUEST_FAILED: warning(
            "Cannot answer `{path}`", *PODS, path="the path of the request", error=TYPE, at=AT
        ),
        Event.METRICS_COLLECTOR_FAILED: warning(
            "A collector of the handler's metrics failed; serving Penstock's metrics alone",
            *PODS,
            error=TYPE,
            at=AT,
        ),
        Event.FILES_CHANGED: info("The specs changed; stopping, so that a new process reads them", "janitor"),
        Event.LOOP_BLOCKED: error(
            "The event loop is blocked; exiting. Others take over when the lease expires",
            "worker",
            "scheduler",
            seconds="since its last heartbeat",
        ),
        Event.HANDLER_STUCK: error(
            "A handler that must run alone ignores its cancellation; shutting down, because nothing may run beside it",
            "worker",
            margin="`shutdown.margin`, for which the worker has waited",
        ),
        Event.LOOP_EXCEPTION: warning(
            "An exception reached the event loop", *PODS, detail="asyncio's description", error=TYPE, at=AT
        ),
        Event.EXIT_IGNORED: warning(
            "A task that a handler left behind tried to end the process; ignored",
            "worker",
            "scheduler",
            error=TYPE,
            at=AT,
        ),
        Event.PART_FAILED: error("A part of the process failed; shutting down", *PODS, part="which", error=TYPE, at=AT),
    },
)


FINISHED = "of a worker: handlers that ended by themselves since the drain started"
GIVEN_BACK = "of a worker: messages that the drain cancelled and gave back"

SHUTDOWN = Topic(
    "A process shuts down",
    {
        Event.SIGNAL_RECEIVED: info("Received {signal}; shutting down", *PODS, signal="its name"),
        Event.SIGNAL_REPEATED: error(
            "Received {signal} again; exiting at once. Others take over when the lease expires",
            *PODS,
            signal="its name",
        ),
        Event.DRAIN_STARTED: info(
            "Draining: no new work is taken",
            "worker",
            "scheduler",
            running="handlers that run",
            grace="`shutdown.grace`",
        ),
        Event.DRAIN_WAITING: info(
            "Draining: waiting for handlers",
            "worker",
            running="handlers that run",
            seconds="since the drain started",
            progress="the last `context.progress` of each",
        ),
        Event.DRAIN_CANCELLING: warning(
            "Draining: time is up; cancelling handlers; unfinished messages are given back",
            "worker",
            running="handlers that run",
        ),
        Event.DRAIN_STUCK: warning(
            "Draining: jobs ignore their cancellation", "scheduler", running="jobs that still run"
        ),
        Event.DRAIN_FINISHED: info(
            "Drained", "worker", "scheduler", seconds=SECONDS, finished=FINISHED, given_back=GIVEN_BACK
        ),
        Event.DRAIN_INCOMPLETE: error(
            "Draining is incomplete; others take over the rest when the lease expires",
            "worker",
            "scheduler",
            reason="of a worker: why it could not leave its group",
            left_behind="of a scheduler: jobs that still run",
            unsettled="of a scheduler: finished runs that Redis did not accept",
            seconds=SECONDS,
            finished=FINISHED,
            given_back=GIVEN_BACK,
        ),
        Event.LIFESPAN_EXIT_FAILED: warning(
            "A handler's `lifespan` failed to end", "worker", "scheduler", error=TYPE, at=AT
        ),
        Event.SIDECAR_STOP_REQUESTED: info(
            "Asked the sidecar to stop", "worker", "scheduler", status="the status of its answer"
        ),
        Event.SIDECAR_STOP_FAILED: warning("Cannot reach the sidecar to stop it", "worker", "scheduler", error=TYPE),
    },
)


REDIS = Topic(
    "Redis, consumers and leases",
    {
        Event.REDIS_UNREACHABLE: warning(
            "Redis is unreachable: {error}; retrying",
            *PODS,
            "producer",
            activity="what the process was doing, see [activities](#activities)",
            error="the address and the reason",
            step="the script, where outcomes wait for Redis",
            pipeline=PIPELINE,
        ),
        Event.REDIS_REFUSED: error(
            "Redis refused a command: {error}; retrying",
            *PODS,
            "producer",
            activity="what the process was doing, see [activities](#activities)",
            error="Redis's answer",
            step="the script, where outcomes wait for Redis",
            pipeline=PIPELINE,
        ),
        Event.REDIS_UNEXPECTED_REPLY: error(
            "Redis gave an unexpected reply; retrying",
            "scheduler",
            activity="what the process was doing, see [activities](#activities)",
            error=TYPE,
            at=AT,
        ),
        Event.REDIS_REACHABLE: info(
            "Redis works again",
            *PODS,
            "producer",
            activity="what the process is doing again, see [activities](#activities)",
            pipeline=PIPELINE,
        ),
        Event.REDIS_EVICTS: error(
            "Redis deletes whole keys when its memory is full; set `maxmemory-policy` to `noeviction`",
            "worker",
            "scheduler",
            policy="its `maxmemory-policy`",
        ),
        Event.REDIS_TOO_OLD: error(
            "Redis does not know a command that Penstock needs; use Redis 6.2 or newer, or Valkey",
            "scheduler",
            command="its name",
        ),
        Event.REDIS_UNREPLICATED: warning(
            "The master acknowledges writes without a replica, and a failover loses them; set `min-replicas-to-write`",
            "worker",
        ),
        Event.REDIS_SCRIPT_EVICTED: warning(
            "Redis has lost a script, or does not keep it; sending its source again",
            "scheduler",
            script="its name",
        ),
        Event.BREAKER_OPENED: warning(
            "The circuit breaker opened after {error}; sends fail at once until Redis works again",
            "producer",
            error="the last failure",
            pipeline="the pipeline's name",
        ),
        Event.CONSUMER_JOINED: info(
            "Joined as consumer {consumer}", "worker", "scheduler", consumer="its name in Redis, new with each lease"
        ),
        Event.LEASE_EXPIRING: warning(
            "The lease was not renewed in time; cancelling jobs", "scheduler", consumer="its name in Redis"
        ),
        Event.LEASE_EXPIRED: warning(
            "The lease was not renewed in time and may have expired; others may take over what runs",
            "worker",
            consumer="its name in Redis",
            running="handlers that run",
        ),
        Event.LEASE_RENEWED_LATE: info(
            "The lease was renewed after all; nobody has taken over", "worker", consumer="its name in Redis"
        ),
        Event.LEASE_LOST: error(
            "The lease is lost; others take over what runs. Joining again",
            "worker",
            "scheduler",
            consumer="its name in Redis",
            running="handlers that run",
        ),
        Event.GROUP_CREATED: info(
            "Created the consumer group", "janitor", pipeline=PIPELINE, stream="the stream's key", group="its name"
        ),
        Event.GROUP_RECREATED: error(
            "Somebody deleted the consumer group, or set it back; repaired it. Unfinished messages run again",
            "worker",
            "janitor",
            pipeline=PIPELINE,
            stream="the stream's key",
            group="its name",
        ),
    },
)
