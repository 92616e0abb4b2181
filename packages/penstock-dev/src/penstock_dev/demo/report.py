"""The demo's report: the counts, the replicas over time, and next steps."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from penstock_dev.demo import traffic
from penstock_dev.demo.run import DemoResult, Moment
from penstock_dev.demo.timing import LEAST, SPREAD
from penstock_dev.demo.workspace import CODE, ENVIRONMENT, LEASE, MAX_REPLICAS, NAME

STEP = 2.0
"""Seconds between two lines of replicas."""
MIN_MESSAGES = 1000


def adds_up(result: DemoResult) -> bool:
    """Whether the demo succeeded."""
    return result.account.adds_up and len(result.account.sent) >= MIN_MESSAGES


def summary(result: DemoResult) -> str:
    """The last line, in JSON."""
    one = result.account
    numbers = {
        "sent": len(one.sent),
        "done": len(one.done & one.sent),
        "dead": one.dead,
        "duplicates": one.duplicates,
        "lost": one.lost,
        "seconds": round(result.seconds, 1),
    }
    return json.dumps(numbers)


def title() -> str:
    return f"{traffic.TOTAL:,} messages for `{NAME}`, in the environment `{ENVIRONMENT}`"


def introduction(speed: float) -> Iterator[str]:
    """What differs from a cluster."""
    yield f"  specs/{NAME}.yaml, with a lease of {LEASE} so that recovery is quick"
    yield f"  at most {MAX_REPLICAS} workers, which are real processes, and a Redis of their own"
    yield f"  KEDA's and the HPA's arithmetic, on a clock {speed:g} times as fast"
    yield f"  the handler of {CODE}/media, slowed down to {LEAST:g} to {LEAST + SPREAD:g} s"


def account(result: DemoResult) -> Iterator[str]:
    """The counts from the ledger."""
    one = result.account
    for name, value in (
        ("sent", len(one.sent)),
        ("done", len(one.done & one.sent)),
        ("dead", one.dead),
        ("lost", one.lost),
        ("ran twice", one.duplicates),
    ):
        yield f"  {name:<10}{value:>7,}"


def ran_twice(result: DemoResult) -> Iterator[str]:
    """Which messages ran twice, and why."""
    one, killed = result.account, result.killed
    if killed is None:
        yield "  No worker was killed: none was busy half-way."
        return
    yield f"  {killed.name.partition('~')[0]} was killed with SIGKILL after {result.killed_at:.1f} s."
    if one.interrupted:
        yield f"  {len(one.interrupted):>3,} interrupted: started there, and ran again elsewhere."
    if one.unsettled:
        yield f"  {len(one.unsettled):>3,} finished but not settled: Redis did not know yet, so they ran again."
    if one.unexplained:
        yield f"  {len(one.unexplained):>3,} for an unknown reason, which is a bug."
    if one.delays:
        later = f"{min(one.delays):.1f} to {max(one.delays):.1f} s later"
        yield f"  They ran again {later}: other workers take over the messages"
        yield f"  of a lost worker when its lease of {LEASE} expires. Any of them may have"
        yield "  caused the crash, so each ran isolated in a child process. Delivery is at"
        yield "  least once; a handler can detect the second run with `context.fence`."


def replicas(moments: Sequence[Moment]) -> Iterator[str]:
    """A line every other second, and one for the end, with a `#` per ready process."""
    most = max((one.replicas for one in moments), default=0)
    due = 0.0
    for one in moments:
        if one.at < due and one is not moments[-1]:
            continue
        due += STEP
        wanted = "" if one.wanted == one.replicas else f"  ({one.wanted} wanted)"
        yield f"  {one.at:4.0f} s {one.replicas:>3}  {'#' * one.replicas:<{most}}  backlog {one.backlog:>5,}{wanted}"


def next_steps() -> Iterator[str]:
    """Where to continue."""
    for what, command in (
        ("the same, live; `?` lists the keys", f".venv/bin/penstock dev {NAME} --env dev --path {CODE}"),
        ("the spec", f"specs/{NAME}.yaml"),
        ("the files generated from it", f"generated/production/{NAME}/"),
        ("why no message is lost", "docs/explanation/states.md"),
    ):
        yield f"  {what}"
        yield f"      {command}"
