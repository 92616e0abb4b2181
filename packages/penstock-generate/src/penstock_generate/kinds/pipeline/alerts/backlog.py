"""What waits, and what was lost of it."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, SHARE, Alert, Query, Series, added, minutes
from penstock_spec.kinds.pipeline.metrics import maintenance, stream, working
from penstock_spec.kinds.pipeline.spec import Pipeline


def of(spec: Pipeline, ours: Series) -> Iterator[Alert]:
    """What waits, and what was lost of it."""
    age = spec.alerts.backlog_age
    yield Alert(
        "PenstockBacklogOld",
        "critical",
        ours.gauge(stream.OLDEST_SECONDS),
        ">",
        age.seconds,
        2,
        "Messages wait for too long.",
        f"The oldest message that could be worked on has waited {{value}} s; `alerts.backlog_age` is {age}.",
        "s",
    )
    limit = spec.stream.backlog.limit
    counted = (
        (stream.STREAM_LENGTH, stream.DELAYED) if spec.stream.retention.keeps_nothing else (stream.NEW, stream.PENDING)
    )
    yield Alert(
        "PenstockBacklogNearLimit",
        "warning",
        added(map(ours.gauge, counted)),
        ">",
        int(limit * SHARE),
        5,
        "The backlog is near its limit.",
        f"{{value}} messages wait; at {limit} (`stream.backlog.limit`) senders meet `{spec.stream.backlog.when_full}`.",
    )
    waiting = added(map(ours.gauge, (stream.NEW, stream.READY, stream.SUSPECT)))
    done = ours.rate(working.DONE, QUARTER)
    idle = Query(f"({waiting.text} unless on() sum({done}) > 0)", waiting.feed)
    yield Alert(
        "PenstockNoProgress",
        "critical",
        idle,
        ">",
        0,
        max(QUARTER, minutes(spec.work.timeout) * 2),
        "Messages wait, and none is finished.",
        "{value} messages could be worked on, and nothing was done.",
    )
    yield Alert(
        "PenstockMessagesLost",
        "critical",
        ours.grown(maintenance.LOST, QUARTER),
        ">=",
        1,
        0,
        "Somebody deleted unfinished messages.",
        "{value} messages were deleted or trimmed before they were finished.",
    )
    yield Alert(
        "PenstockGroupRecreated",
        "critical",
        ours.grown(maintenance.GROUP_RECREATED, QUARTER),
        ">=",
        1,
        0,
        "The consumer group was gone.",
        f"The group of `{spec.name}` was made again {{value}} times; somebody destroys it, or flushes Redis.",
    )
