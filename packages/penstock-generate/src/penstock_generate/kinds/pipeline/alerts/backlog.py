"""Alerts on waiting and lost messages."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, SHARE, Alert, Query, Series, added, less, minutes
from penstock_spec.kinds.pipeline.metrics import maintenance, stream, working
from penstock_spec.kinds.pipeline.spec import Pipeline

WHEN_FULL = {
    "reject": "sends are rejected",
    "wait": "sends wait for room",
    "drop-oldest": "the oldest unread messages are dropped",
}


def of(spec: Pipeline, ours: Series) -> Iterator[Alert]:
    """The alerts of a spec."""
    age = spec.alerts.backlog_age
    yield Alert(
        "PenstockBacklogOld",
        "critical",
        ours.gauge(stream.OLDEST_SECONDS),
        ">",
        age.seconds,
        2,
        "Messages wait too long.",
        f"The oldest message that could be worked on now has waited {{value}} s; `alerts.backlog_age` is {age}.",
        "s",
    )
    limit = spec.stream.backlog.limit
    if spec.stream.retention.keeps_nothing:
        backlog = less(added(map(ours.gauge, (stream.STREAM_LENGTH, stream.DELAYED))), ours.gauge(stream.FINISHED))
    else:
        backlog = added(map(ours.gauge, (stream.NEW, stream.PENDING)))
    yield Alert(
        "PenstockBacklogNearLimit",
        "warning",
        backlog,
        ">",
        int(limit * SHARE),
        5,
        "The backlog is close to its limit.",
        f"{{value}} messages wait. At {limit} (`stream.backlog.limit`), {WHEN_FULL[spec.stream.backlog.when_full]}.",
    )
    if spec.stream.retention.keeps_nothing:
        yield Alert(
            "PenstockOtherGroup",
            "warning",
            ours.gauge(stream.GROUPS),
            ">",
            1,
            QUARTER,
            "Another consumer group reads the stream.",
            f"{{value}} groups read `{spec.stream.key}`. Until `{spec.stream.group}` is the only one, finished "
            "messages stay in Redis.",
        )
    waiting = added(map(ours.gauge, (stream.NEW, stream.READY, stream.SUSPECT)))
    done = ours.rate(working.DONE, QUARTER)
    idle = Query(f"({waiting.text} unless on() sum({done}) > 0)", waiting.test_series)
    yield Alert(
        "PenstockNoProgress",
        "critical",
        idle,
        ">",
        0,
        max(QUARTER, minutes(spec.work.timeout) * 2),
        "Messages wait, but none is finished.",
        "Messages that could be worked on now: {value}. None was finished.",
    )
    yield Alert(
        "PenstockMessagesLost",
        "critical",
        ours.increase(maintenance.LOST, QUARTER),
        ">=",
        1,
        0,
        "Unfinished messages were deleted from the stream.",
        "Messages that somebody deleted or trimmed before they were finished: {value}.",
    )
    yield Alert(
        "PenstockGroupRecreated",
        "critical",
        ours.increase(maintenance.GROUP_RECREATED, QUARTER),
        ">=",
        1,
        0,
        "The consumer group was missing in Redis.",
        f"Recreations of the group of `{spec.name}`: {{value}}. Somebody destroys it, or Redis loses its data.",
    )
