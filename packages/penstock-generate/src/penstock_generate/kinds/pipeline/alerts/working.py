"""What workers do."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, STEPS, Alert, Query, Series
from penstock_generate.pods.alerts import loop_lag, redis_errors
from penstock_generate.rendering.promql import number
from penstock_spec.kinds.pipeline.metrics import process, stream, working
from penstock_spec.kinds.pipeline.spec import Pipeline


def of(spec: Pipeline, ours: Series) -> Iterator[Alert]:
    """What workers do."""
    letters = spec.alerts.dead_letters
    yield Alert(
        "PenstockDeadLetters",
        "critical",
        _died(ours),
        ">=",
        letters,
        0,
        "Messages became dead letters.",
        f"{{value}} in {QUARTER} minutes (`alerts.dead_letters`: {letters}). See `penstock dlq list {spec.name}`.",
    )
    yield Alert(
        "PenstockRetriesHigh",
        "warning",
        ours.ratio(working.RETRIED.name, working.DELIVERED.name, QUARTER),
        ">",
        0.5,
        QUARTER,
        "Half of the attempts fail.",
        "Of all deliveries, {value} of one fail and are tried again.",
        "percentunit",
    )
    timeout = spec.work.timeout
    took = working.HANDLING_SECONDS.name
    yield Alert(
        "PenstockHandlersSlow",
        "warning",
        ours.ratio(f"{took}_sum", f"{took}_count", QUARTER),
        ">",
        timeout.seconds / 2,
        QUARTER,
        "Handlers take half of the time that they have.",
        f"On average {{value}} s; `work.timeout` is {timeout}.",
        "s",
    )
    yield Alert(
        "PenstockTimeouts",
        "warning",
        ours.grown(working.TIMEOUTS, QUARTER),
        ">=",
        5,
        0,
        "Handlers are cut off.",
        f"{{value}} attempts took longer than `work.timeout` ({timeout}).",
    )
    running, slots = ours.of(working.RUNNING), ours.of(working.SLOTS)
    busy = Query(
        f"sum({running}) / sum({slots})",
        lambda value: {running: f"{number(value * 100)}+0x{STEPS}", slots: f"100+0x{STEPS}"},
    )
    yield Alert(
        "PenstockSaturated",
        "warning",
        busy,
        ">=",
        1,
        QUARTER,
        "All slots of all workers are taken.",
        f"None of {spec.work.concurrency} a worker (`work.concurrency`) was free for {QUARTER} minutes.",
        "percentunit",
    )
    yield Alert(
        "PenstockPendingLimitReached",
        "warning",
        ours.gauge(working.PENDING_LIMIT_REACHED),
        ">=",
        1,
        QUARTER,
        "A worker reads nothing new.",
        f"It holds {spec.work.max_pending_per_worker} messages (`work.max_pending_per_worker`): most wait for a retry.",
    )
    yield Alert(
        "PenstockFencedSteps",
        "warning",
        ours.grown(working.FENCED, QUARTER),
        ">",
        10,
        0,
        "Workers finish what is another's by now.",
        f"{{value}} steps came after a take-over: a loop is held up, or `work.lease` ({spec.work.lease}) is short.",
    )
    yield Alert(
        "PenstockLeasesLost",
        "warning",
        ours.grown(working.LEASE_LOST, QUARTER),
        ">=",
        3,
        0,
        "Workers lose their leases.",
        f"{{value}} workers said nothing for {spec.work.lease} (`work.lease`) and lived on.",
    )
    yield Alert(
        "PenstockUnsettled",
        "critical",
        ours.gauge(working.UNSETTLED, "sum"),
        ">",
        spec.work.concurrency,
        5,
        "Redis does not take what was done.",
        "{value} outcomes are kept and repeated; each holds a slot.",
    )
    yield Alert(
        "PenstockHandlersAbandoned",
        "warning",
        ours.gauge(working.ABANDONED, "sum"),
        ">",
        0,
        5,
        "Handlers ignore that they were cancelled.",
        "{value} run on after their time, each in a slot.",
    )
    yield loop_lag(ours, working.LOOP_LAG_SECONDS)
    yield redis_errors(ours, process.REDIS_ERRORS)


def _died(ours: Series) -> Query:
    """By what workers count, or by how many more are kept: whichever tells more.

    A worker that was started for a message may have counted its end before it is scraped for the first time, and then
    nothing is seen to grow. What is kept is told by the janitor, which is always there; but it shrinks as well, by age.
    """
    counted, kept = ours.grown(working.DEAD, QUARTER), ours.risen(stream.DEAD_LETTERS, QUARTER)
    told = {"workers": counted.text, "janitor": kept.text}
    each = " or ".join(f'label_replace({text}, "by", "{by}", "", "")' for by, text in told.items())
    born = ours.of(working.DEAD)
    return Query(
        f"max({each})",
        lambda value: {born: f"1+0x{STEPS}", **kept.feed(value)},
        counted.warm,
    )
