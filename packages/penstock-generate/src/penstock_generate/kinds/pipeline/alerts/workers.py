"""Alerts on workers."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, STEPS, Alert, Query, Series
from penstock_generate.pods.alerts import loop_lag, redis_errors
from penstock_generate.rendering.promql import number
from penstock_spec.kinds.pipeline.metrics import process, stream, working
from penstock_spec.kinds.pipeline.spec import Pipeline


def of(spec: Pipeline, ours: Series) -> Iterator[Alert]:
    """The alerts of a spec."""
    dead_letters = spec.alerts.dead_letters
    yield Alert(
        "PenstockDeadLetters",
        "critical",
        _died(ours),
        ">=",
        dead_letters,
        0,
        "Messages became dead letters.",
        f"{{value}} in {QUARTER} minutes (`alerts.dead_letters`: {dead_letters}). See `penstock dlq list {spec.name}`.",
    )
    yield Alert(
        "PenstockDeadLettersFull",
        "critical",
        ours.increase(working.NOT_BURIED, QUARTER),
        ">=",
        1,
        0,
        "The dead letters have reached their limit.",
        f"{{value}} messages of `{spec.name}` could not be buried in {QUARTER} minutes. They are retried instead.",
    )
    yield Alert(
        "PenstockRetriesHigh",
        "warning",
        ours.ratio(working.RETRIED.name, working.DELIVERED.name, QUARTER),
        ">",
        0.5,
        QUARTER,
        "More than half of the attempts fail.",
        "The share of attempts that fail and are retried is {value}.",
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
        "Handlers take more than half of their timeout.",
        f"They take {{value}} s on average; `work.timeout` is {timeout}.",
        "s",
    )
    yield Alert(
        "PenstockTimeouts",
        "warning",
        ours.increase(working.TIMEOUTS, QUARTER),
        ">=",
        5,
        0,
        "Handlers run into their timeout.",
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
        "All workers are fully busy.",
        f"No slot was free for {QUARTER} minutes; each worker has {spec.work.concurrency} (`work.concurrency`).",
        "percentunit",
    )
    if spec.work.max_pending_per_worker is not None:
        yield Alert(
            "PenstockPendingLimitReached",
            "warning",
            ours.gauge(working.PENDING_LIMIT_REACHED),
            ">=",
            1,
            QUARTER,
            "A worker reads no new messages.",
            f"It has {spec.work.max_pending_per_worker} messages that it runs or has parked, its limit "
            "(`work.max_pending_per_worker`). New messages wait until some of the parked ones are due.",
        )
    yield Alert(
        "PenstockFencedSteps",
        "warning",
        ours.increase(working.FENCED, QUARTER),
        ">",
        10,
        0,
        "Workers finish messages that were taken over.",
        f"{{value}} results came too late: a worker was blocked, or `work.lease` ({spec.work.lease}) is too short.",
    )
    yield Alert(
        "PenstockLeasesLost",
        "warning",
        ours.increase(working.LEASE_LOST, QUARTER),
        ">=",
        3,
        0,
        "Workers lose their leases.",
        f"{{value}} times a running worker failed to renew its lease for {spec.work.lease} (`work.lease`).",
    )
    yield Alert(
        "PenstockLeasesExpired",
        "warning",
        ours.increase(working.LEASE_EXPIRED, QUARTER),
        ">=",
        3,
        0,
        "Workers run without a valid lease.",
        f"{{value}} times a worker had not renewed its lease for {spec.work.lease} (`work.lease`), by its own clock. "
        "Others may run its messages.",
    )
    yield Alert(
        "PenstockUnsettled",
        "critical",
        ours.gauge(working.UNSETTLED, "sum"),
        ">",
        spec.work.concurrency,
        5,
        "Redis does not accept results of finished messages.",
        "{value} results are being repeated; each holds a slot.",
    )
    yield Alert(
        "PenstockResultsRefused",
        "critical",
        ours.gauge(working.REFUSED),
        ">",
        0,
        5,
        "Redis refuses results or dead letters.",
        "A worker repeats {value} of them. When they fill its slots, it stops.",
    )
    yield Alert(
        "PenstockHandlersAbandoned",
        "warning",
        ours.gauge(working.ABANDONED, "sum"),
        ">",
        0,
        5,
        "Handlers ignore their cancellation.",
        "Handlers that run past their timeout, each holding a slot: {value}.",
    )
    yield loop_lag(ours, working.LOOP_LAG_SECONDS)
    yield redis_errors(ours, process.REDIS_ERRORS)


def _died(ours: Series) -> Query:
    """The larger of two numbers: the workers' counter, and the growth of the stream of dead letters.

    A worker that was started for one message may count it before its first scrape, so the counter never grows. The
    janitor, which always runs, measures the stream; but that shrinks by age.
    """
    counted, kept = ours.increase(working.DEAD, QUARTER), ours.rise(stream.DEAD_LETTERS, QUARTER)
    queries = {"workers": counted.text, "janitor": kept.text}
    each = " or ".join(f'label_replace({text}, "by", "{by}", "", "")' for by, text in queries.items())
    deaths = ours.of(working.DEAD)
    return Query(
        f"max({each})",
        lambda value: {deaths: f"1+0x{STEPS}", **kept.test_series(value)},
        counted.warm_up,
    )
