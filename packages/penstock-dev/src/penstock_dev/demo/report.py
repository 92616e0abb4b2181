"""What is told at the end: the ledger, the replicas over time, what to look at next."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from penstock_dev.demo import traffic
from penstock_dev.demo.run import DemoResult, Moment
from penstock_dev.demo.timing import LEAST, SPREAD
from penstock_dev.demo.workspace import CODE, ENVIRONMENT, LEASE, MOST, NAME

STEP = 2.0
"""Seconds from one line of the replicas to the next."""
ENOUGH = 1000


def adds_up(played: DemoResult) -> bool:
    """Whether the ledger is as it has to be."""
    return played.account.adds_up and len(played.account.sent) >= ENOUGH


def summary(played: DemoResult) -> str:
    """The last line, for machines."""
    one = played.account
    told = {
        "sent": len(one.sent),
        "done": len(one.done & one.sent),
        "dead": one.dead,
        "duplicates": one.duplicates,
        "lost": one.lost,
        "seconds": round(played.seconds, 1),
    }
    return json.dumps(told)


def title() -> str:
    """What this is."""
    return f"{traffic.TOTAL:,} messages for `{NAME}`, in an environment of its own, `{ENVIRONMENT}`"


def begins(speed: float) -> Iterator[str]:
    """What is as in a cluster, and what is not."""
    yield f"  specs/{NAME}.yaml, but a lease of {LEASE}: a killed worker is soon missed"
    yield f"  at most {MOST} workers, which are real processes, and a Redis of their own"
    yield f"  KEDA and the HPA by their own arithmetic, their clock {speed:g} times as fast"
    yield f"  the handler of {CODE}/media, which takes {LEAST:g} to {LEAST + SPREAD:g} s here"


def account(played: DemoResult) -> Iterator[str]:
    """Each message's end, from the file that the handlers wrote, beside what Redis had taken."""
    one = played.account
    for name, value in (
        ("sent", len(one.sent)),
        ("done", len(one.done & one.sent)),
        ("dead", one.dead),
        ("lost", one.lost),
        ("ran twice", one.duplicates),
    ):
        yield f"  {name:<10}{value:>7,}"


def twice(played: DemoResult) -> Iterator[str]:
    """What ran twice, and why."""
    one, killed = played.account, played.killed
    if killed is None:
        yield "  No worker was killed: none had anything to do when it was time."
        return
    yield f"  {killed.name.partition('~')[0]} was killed with SIGKILL after {played.killed_at:.1f} s."
    if one.interrupted:
        yield f"  {len(one.interrupted):>3,} it was running: begun there, and run again elsewhere."
    if one.unsettled:
        yield f"  {len(one.unsettled):>3,} it had just finished: Redis had not been told, so they ran again."
    if one.unexplained:
        yield f"  {len(one.unexplained):>3,} for another reason, and that should not be so."
    if one.again:
        later = f"{min(one.again):.1f} to {max(one.again):.1f} s later"
        yield f"  They ran again {later}: what a lost worker had is taken"
        yield f"  over when its lease of {LEASE} is over. Nobody knows which message may have"
        yield "  killed it, so each then ran in a process of its own. Delivery is at least"
        yield "  once; what must not happen twice has `context.fence` to tell that it did."


def replicas(moments: Sequence[Moment]) -> Iterator[str]:
    """A line every other second, and one for the end: a `#` for each process that works."""
    most = max((one.replicas for one in moments), default=0)
    due = 0.0
    for one in moments:
        if one.at < due and one is not moments[-1]:
            continue
        due += STEP
        asked = "" if one.wanted == one.replicas else f"  ({one.wanted} wanted)"
        yield f"  {one.at:4.0f} s {one.replicas:>3}  {'#' * one.replicas:<{most}}  backlog {one.backlog:>5,}{asked}"


def next_() -> Iterator[str]:
    """Where to go from here."""
    for says, command in (
        ("the same, live; `?` lists the keys", f".venv/bin/penstock dev {NAME} --env dev --path {CODE}"),
        ("the one file that all of it follows from", f"specs/{NAME}.yaml"),
        ("what that gives a cluster", f"generated/production/{NAME}/"),
        ("why nothing is lost", "docs/explanation/states.md"),
    ):
        yield f"  {says}"
        yield f"      {command}"
