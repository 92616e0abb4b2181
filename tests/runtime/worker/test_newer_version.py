"""A message of a newer Penstock waits for a worker that can read it: during a rollout, producers may come first."""

from collections.abc import Callable

import pytest
from entries import add
from http_probes import numbers, until_counted
from ledger import by_message, read
from pipelines import Trial
from servers import wait_for

from penstock.observe.events import Event
from penstock.worker.newer_version import BY_FORCE, TRIES, next_wait

PARKED, UNCHARGED = "{trial}:trial:parked", "{trial}:trial:uncharged"
HANDLERS = """\
import os
import ledger
from penstock.message import penstock_fields

if "NEWER" in os.environ:
    penstock_fields.CURRENT = b"2"

async def handle(message, context):
    ledger.note(f"attempt-{context.attempt}", message["id"], context.fence)
"""
SPEC = "work: {{lease: 10s, isolation: {}}}\nretries: {{attempts: 1}}\n"
NEWER = ["data", '{"id": "a"}', "penstock-version", "2"]


@pytest.mark.parametrize("isolation", ["none", "process"])
def test_a_newer_message_waits_uncharged_for_a_newer_worker(
    make_trial: Callable[..., Trial], monkeypatch: pytest.MonkeyPatch, isolation: str
) -> None:
    """Each old worker parks it, and the first worker that knows its version makes the first attempt."""
    with make_trial(handlers=HANDLERS, spec=SPEC.format(isolation)) as trial:
        old = trial.worker().ready()
        entry = add(trial, NEWER)
        wait_for(lambda: trial.ask("ZSCORE", PARKED, entry), "it is parked")
        assert trial.ask("HGET", UNCHARGED, entry) == "1@1"
        make_due(trial, entry)
        wait_for(lambda: trial.ask("HGET", UNCHARGED, entry) == "2@2", "it is delivered and parked again")
        [first, second] = old.events(Event.MESSAGE_NEWER)
        assert (first["wait_ms"], second["wait_ms"]) == (5_000, 10_000)
        assert not old.events(Event.MESSAGE_UNREADABLE)
        until_counted(old, "retried", 2)
        assert old.end() == 0
        monkeypatch.setenv("NEWER", "1")
        trial.worker().ready()
        make_due(trial, entry)
        trial.until_drained()
        assert set(by_message(read(trial.ledger), "attempt-1")) == {"a"}
        trial.assert_nothing_left()


def test_a_newer_message_is_dead_after_an_hour_of_waits(make_trial: Callable[..., Trial]) -> None:
    """Its dead letter says which version it needs; a replay starts over."""
    with make_trial(handlers=HANDLERS, spec=SPEC.format("none")) as trial:
        worker = trial.worker().ready()
        entry = add(trial, NEWER)
        wait_for(lambda: trial.ask("ZSCORE", PARKED, entry), "it is parked")
        trial.ask("HSET", UNCHARGED, entry, TRIES)
        make_due(trial, entry)
        wait_for(trial.dead, "it is dead")
        [letter] = trial.dead()
        assert letter["penstock-dead-error"] == "newer-version: its version is 2, but this Penstock only knows 1"
        assert letter["penstock-version"] == "2"
        assert numbers(worker).by("dead", "reason") == {"unreadable": 1}


def make_due(trial: Trial, entry: str) -> None:
    """End the wait of an entry, unless it has ended by itself: then a due time would be left over."""
    trial.ask("ZADD", PARKED, "XX", 0, entry)


def test_the_waits_grow_and_add_up_to_more_than_an_hour() -> None:
    """A message that was brought back by force waits as long as any other."""
    waits = [next_wait(number) for number in range(TRIES)]
    assert waits[:3] == [5_000, 10_000, 20_000]
    assert sum(wait or 0 for wait in waits) > 3_600_000
    assert next_wait(TRIES) is None
    assert next_wait(3 * BY_FORCE) == 5_000
    assert next_wait(BY_FORCE - 2) == 5_000, "it had two attempts when it was brought back"
    assert next_wait(BY_FORCE + TRIES) is None
