"""The leases of workers in Redis: when they expire, and how to end them at once."""

from __future__ import annotations

from pipelines import KEY, Trial

from penstock.scripts import script

ALIVE = "{trial}:trial:alive"
CRASHED = "{trial}:trial:crashed"
LEASE = 10_000


def lease_end(trial: Trial, consumer: str) -> float:
    """When the lease expires, in ms of Redis time; below zero if the consumer is marked as lost."""
    score = trial.ask("ZSCORE", ALIVE, consumer)
    assert isinstance(score, str), f"{consumer} has no lease"
    return float(score)


def now(trial: Trial) -> int:
    """Redis time in ms."""
    reply = trial.ask("TIME")
    assert isinstance(reply, list)
    return int(str(reply[0])) * 1000 + int(str(reply[1])) // 1000


def mark_lost(trial: Trial, consumer: str) -> None:
    """Mark the consumer as lost, as a takeover does before its first page. The lease can no longer be renewed."""
    trial.ask("ZADD", ALIVE, "XX", -1, consumer)


def take_over(trial: Trial, consumer: str) -> None:
    """Take over a consumer as if its lease had expired: its messages become suspect. A worker may do so first."""
    mark_lost(trial, consumer)
    text = script("take_over").text
    while True:
        reply = trial.ask("EVAL", text, 3, KEY, ALIVE, CRASHED, "trial", LEASE, consumer, 250, now(trial), 1)
        assert isinstance(reply, list)
        if reply[0] != "more":
            assert reply[0] in ("done", "none"), reply
            return
