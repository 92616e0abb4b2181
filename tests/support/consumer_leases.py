"""Workers' lives in Redis: how long they last, and ends that need not be waited for."""

from __future__ import annotations

from pipelines import KEY, Trial

from penstock.scripts import script

ALIVE = "{trial}:trial:alive"
LEASE = 10_000


def lease_end(trial: Trial, consumer: str) -> float:
    """When its lease is over, in ms; below zero when it was marked as lost."""
    told = trial.ask("ZSCORE", ALIVE, consumer)
    assert isinstance(told, str), f"{consumer} has no lease"
    return float(told)


def now(trial: Trial) -> int:
    """Redis's time, in ms."""
    told = trial.ask("TIME")
    assert isinstance(told, list)
    return int(str(told[0])) * 1000 + int(str(told[1])) // 1000


def mark_lost(trial: Trial, consumer: str) -> None:
    """As a sweeper does before its first page: from here on the lease is never renewed."""
    trial.ask("ZADD", ALIVE, "XX", -1, consumer)


def take_over(trial: Trial, consumer: str) -> None:
    """As if its lease were over, and a sweeper came by: what it owns is suspect. A worker's sweeper may be first."""
    mark_lost(trial, consumer)
    text = script("take_over").text
    while True:
        told = trial.ask("EVAL", text, 2, KEY, ALIVE, "trial", LEASE, consumer, 250, now(trial))
        assert isinstance(told, list)
        if told[0] != "more":
            assert told[0] in ("done", "none"), told
            return
