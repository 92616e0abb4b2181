"""Lines of janitors."""

from __future__ import annotations

from penstock.observe.event_lines.define import AT, PIPELINE, SECONDS, TYPE, Topic, debug, error, info, warning
from penstock.observe.events import Event

JANITOR = Topic(
    "A janitor",
    {
        Event.JANITOR_BECAME_LEADER: info("Became leader", "janitor"),
        Event.JANITOR_BECAME_STANDBY: info("Standby: another janitor leads", "janitor"),
        Event.JANITOR_ROUND_ENDED: debug(
            "A round ended", "janitor", pipeline=PIPELINE, succeeded="whether nothing failed", seconds=SECONDS
        ),
        Event.JANITOR_TASK_FAILED: error(
            "The task `{task}` failed; retrying",
            "janitor",
            pipeline=PIPELINE,
            task="as the metric `penstock_janitor_errors_total` calls it",
            error=f"Redis's answer, or {TYPE}",
            at=AT,
        ),
        Event.JANITOR_TASK_RECOVERED: info(
            "The task `{task}` works again", "janitor", pipeline=PIPELINE, task="as above"
        ),
        Event.GHOST_FOUND: warning(
            "Found a ghost; it stays, as `janitor.ghosts.dry_run` says",
            "janitor",
            pipeline=PIPELINE,
            consumer="its name",
            messages="messages that it owns",
        ),
        Event.GHOST_REMOVED: warning(
            "Removed a ghost", "janitor", pipeline=PIPELINE, consumer="its name", messages="messages that it owned"
        ),
    },
)
