"""A failed attempt is retried after a wait in Redis time; the last one leaves a dead letter."""

from collections.abc import Callable

import pytest
from consumer_leases import now
from entries import add
from http_probes import numbers, until_counted
from ledger import by_message, read
from pipelines import Trial
from servers import wait_for

from penstock.observe.events import Event

PARKED = "{trial}:trial:parked"
DEAD = "{trial}:trial:dead"
HANDLERS = """\
import ledger
import penstock

class Answer(Exception):
    status_code = 503

async def handle(message, context):
    ledger.note(f"attempt-{context.attempt}", message["id"], context.fence)
    match message["id"].partition("-")[0]:
        case "usual": raise RuntimeError("no")
        case "classed": raise ConnectionRefusedError("nobody there")
        case "status": raise Answer
        case "asks": raise penstock.Retry(after="40m", reason="come back later")
        case "often": raise LookupError
        case "never": raise ValueError("not this way")
        case "bury": raise penstock.Bury("the pet has died")
"""
SPEC = """\
work: {lease: 10s}
retries:
  attempts: 3
  backoff: {first: 10m, factor: 2, jitter: 0, limit: 2h}
  classes:
    network: {match: [ConnectionError], backoff: {first: 20m}}
    http: {match: ["5xx"], attempts: 1}
    often: {match: [LookupError], attempts: 4, backoff: {first: 100ms, factor: 1}}
    never: {match: [ValueError], attempts: 1}
message: {dedup: {by: id, window: 10h}, schema: {type: object, required: [id], properties: {id: {type: string}}}}
"""


def due(trial: Trial, entry: str) -> float | None:
    """When an entry is due, in ms of Redis time."""
    score = trial.ask("ZSCORE", PARKED, entry)
    return None if score is None else float(str(score))


def test_each_failure_class_has_its_own_waits(make_trial: Callable[..., Trial]) -> None:
    """A class also has its own number of attempts; a handler may choose other waits. Due times are in Redis time."""
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        worker = trial.worker().ready()
        before = now(trial)
        sent = {
            name: add(trial, ["data", f'{{"id": "{name}"}}'])
            for name in ("usual", "classed", "asks", "status", "never", "bury", "often")
        }
        waits = {"usual": 600_000, "classed": 1_200_000, "asks": 2_400_000}
        wait_for(lambda: len(trial.dead()) == 4, "those without another attempt are dead")
        wait_for(lambda: all(due(trial, sent[name]) for name in waits), "the others are parked")
        after = now(trial)
        for name, wait in waits.items():
            at = due(trial, sent[name])
            assert at is not None
            assert before + wait <= at <= after + wait, name

        dead = {dead_letter["data"][8:-2]: dead_letter for dead_letter in trial.dead()}
        deaths = {
            name: tuple(
                dead_letter[f"penstock-dead-{what}"].removeprefix("penstock.")
                for what in ("reason", "error", "attempts")
            )
            for name, dead_letter in dead.items()
        }
        assert deaths == {
            "status": ("failed", "handlers.Answer", "1"),
            "never": ("failed", "ValueError: not this way", "1"),
            "bury": ("refused", "Bury: the pet has died", "1"),
            "often": ("failed", "LookupError", "4"),
        }
        for dead_letter in dead.values():
            assert dead_letter["penstock-dead-consumer"] == trial.live_consumers()[0]
            assert before <= int(dead_letter["penstock-dead-at"])
        until_counted(worker, "retried", 6)
        assert numbers(worker).by("retried", "class") == {"-": 2, "network": 1, "often": 3}
        until_counted(worker, "dead", 4)
        assert numbers(worker).by("dead", "reason") == {"failed": 3, "refused": 1}

        # Redis counts attempts, so the next process continues the count.
        trial.ask("ZADD", PARKED, 0, sent["usual"])
        wait_for(lambda: len(by_message(read(trial.ledger), "attempt-2")) == 2, "the second attempt runs")
        wait_for(lambda: (due(trial, sent["usual"]) or 0) >= before + 1_200_000, "the next wait is twice as long")
        assert worker.end() == 0
        second = trial.worker().ready()
        trial.ask("ZADD", PARKED, 0, sent["usual"])
        wait_for(lambda: len(trial.dead()) == 5, "the third attempt is the last")
        assert [line.what for line in read(trial.ledger) if line.message == "usual"] == [
            *("attempt-1", "attempt-2", "attempt-3"),
        ]
        assert trial.dead()[-1]["penstock-dead-attempts"] == "3"
        assert second.end() == 0


def test_burying_marks_the_key_of_its_own_message(make_trial: Callable[..., Trial]) -> None:
    """Another message may take the key of a dead one at once; a key that now belongs to another message stays."""
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        mine, others = "01HF7YAT3V711EYMKSAT750A2X", "01HF7YAT3V711EYMKSAT750A2Y"
        trial.ask("SET", "{trial}:dedup:never-mine", mine, "PX", 600_000)
        trial.ask("SET", "{trial}:dedup:never-others", others, "PX", 600_000)
        for key in ("never-mine", "never-others"):
            add(trial, ["data", f'{{"id": "{key}"}}', "penstock-id", mine, "penstock-key", key])
        trial.ask("SET", b"{trial}:dedup:\xff\xfe", mine, "PX", 600_000)
        add(trial, ["data", '{"id": "never-text"}', "penstock-id", mine, "penstock-key", b"\xff\xfe"])
        worker = trial.worker()
        wait_for(lambda: len(trial.dead()) == 3, "all are dead")
        assert trial.ask("GET", b"{trial}:dedup:\xff\xfe") == f" {mine}", "a key need not be text"
        assert trial.ask("GET", "{trial}:dedup:never-mine") == f" {mine}"
        assert trial.ask("GET", "{trial}:dedup:never-others") == others
        assert worker.ready().end() == 0


@pytest.mark.parametrize("limit", ["{length: 1}", "{bytes: 1}"])
def test_a_message_that_cannot_be_buried_is_retried_later(make_trial: Callable[..., Trial], limit: str) -> None:
    """At the limit of dead letters nothing is dropped, and no slot is held; with room, the message is buried."""
    with make_trial(handlers=HANDLERS, spec=f"{SPEC}\ndead_letter: {{limit: {limit}}}") as trial:
        trial.ask("XADD", DEAD, "*", "data", '{"id": "old"}')
        worker = trial.worker().ready()
        before = now(trial)
        entry = add(trial, ["data", '{"id": "never"}'])
        wait_for(lambda: due(trial, entry), "it is parked")

        assert (due(trial, entry) or 0) >= before + 60_000
        assert len(trial.dead()) == 1
        until_counted(worker, "not_buried", 1)
        until_counted(worker, "unsettled", 0)
        [line] = worker.events(Event.MESSAGE_NOT_BURIED)
        assert (line["reason"], line["entry"]) == ("failed", entry)

        trial.ask("DEL", DEAD)

        def buried() -> bool:
            if due(trial, entry):
                trial.ask("ZADD", PARKED, "XX", 0, entry)
            return len(trial.dead()) == 1

        wait_for(buried, "it is dead when there is room again")
        assert trial.dead()[0]["data"] == '{"id": "never"}'
        assert worker.end() == 0


CRASHES = """\
import os
import ledger

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    os._exit(9)
"""


def test_a_killer_that_cannot_be_buried_is_not_run_again(make_trial: Callable[..., Trial]) -> None:
    """At the limit of dead letters it would kill a process each minute, and an emptied worker among them."""
    spec = "work: {isolation: process}\nretries: {attempts: 1}\ndead_letter: {limit: {length: 1}}"
    with make_trial(handlers=CRASHES, spec=spec) as trial:
        trial.ask("XADD", DEAD, "*", "data", '{"id": "old"}')
        worker = trial.worker().ready()
        entry = add(trial, ["data", '{"id": "killer"}'])
        for times in (1, 2):
            wait_for(lambda: due(trial, entry), "it is parked")
            until_counted(worker, "not_buried", times)
            trial.ask("ZADD", PARKED, "XX", 0, entry)
        wait_for(lambda: due(trial, entry), "it is parked again")
        trial.ask("DEL", DEAD)

        def buried() -> bool:
            if due(trial, entry):
                trial.ask("ZADD", PARKED, "XX", 0, entry)
            return len(trial.dead()) == 1

        wait_for(buried, "it is dead when there is room again")
        assert [line.what for line in read(trial.ledger)] == ["start"]
        assert worker.end() == 0
