"""The context tells a handler about its attempt, and takes its result."""

import json
import logging
from collections.abc import Callable

import pytest
from consumer_leases import take_over
from entries import add
from http_probes import numbers, until_counted
from ledger import by_message, read
from pipelines import KEY, Trial
from servers import wait_for

from penstock.message.ulid import is_ulid
from penstock.observe.events import Event
from penstock.worker.context import Context, MessageSettings
from penstock.worker.delivery import Delivery

HANDLERS = """\
import json, pathlib, time
import penstock

async def handle(message, context):
    with pathlib.Path("contexts").open("a") as file:
        file.write(json.dumps({
            "id": message["id"],
            "attempt": context.attempt,
            "fence": context.fence,
            "left": context.deadline - time.monotonic(),
            "remaining": context.remaining,
            "correlation": context.correlation,
            "message_id": context.message_id,
            "entry": context.entry,
            "cancelled": [context.cancelled, context.lost],
        }) + "\\n")
    context.log.info("described", own=5)
    if context.attempt < 3 and message["id"] == "again":
        raise penstock.Retry(after=0.1)
"""
SPEC = """\
work: {lease: 10s, timeout: 50s}
message:
  correlate: job_id
  make_correlation: true
  schema: {type: object, required: [id], properties: {id: {type: string}, job_id: {type: string}}}
"""
MESSAGE = "01HF7YAT3V711EYMKSAT750A2X"


def test_the_context_describes_the_attempt(make_trial: Callable[..., Trial]) -> None:
    """The context has the attempt, a growing fence, the remaining time, and a correlation that stays the same."""
    with make_trial(handlers=HANDLERS, spec=SPEC) as trial:
        worker = trial.worker()
        given = add(trial, ["data", '{"id": "given", "job_id": "job-1"}', "penstock-id", MESSAGE])
        again = add(trial, ["data", '{"id": "again"}'])
        trial.until_drained()
        lines = [json.loads(line) for line in (trial.folder / "contexts").read_text().splitlines()]
        for line in lines:
            assert 0 < line["left"] <= 50
            assert 0 < line["remaining"] <= 50
            assert line["cancelled"] == [False, False]
        [first] = [line for line in lines if line["id"] == "given"]
        assert (first["correlation"], first["message_id"], first["entry"]) == ("job-1", MESSAGE, given)
        retried = [line for line in lines if line["id"] == "again"]
        assert [line["attempt"] for line in retried] == [1, 2, 3]
        fences = [line["fence"] for line in retried]
        assert fences == sorted(set(fences))
        assert {(line["message_id"], line["entry"]) for line in retried} == {(again, again)}
        [correlation] = {line["correlation"] for line in retried}
        assert is_ulid(correlation), "created once, for all attempts"
        assert [line["correlation"] for line in worker.lines_with("described") if line["message_id"] == again] == [
            correlation
        ] * 3
        assert worker.end() == 0


LOSING = """\
import asyncio
import ledger

async def handle(message, context):
    ledger.note("start", message["id"], context.fence)
    if message["id"] == "quick" or context.attempt > 1:
        ledger.note("end", message["id"], context.fence)
        context.leave({"by": context.attempt})
        return
    try:
        await asyncio.sleep(600)
    except asyncio.CancelledError:
        ledger.note(f"lost-{context.lost}", message["id"], context.fence)
        if message["id"] == "echoes":
            raise RuntimeError("an echo")
        if message["id"] == "insists":
            context.leave({"by": "the wrong one"})
            return
        raise
"""


def test_a_lost_lease_cancels_running_messages(make_trial: Callable[..., Trial]) -> None:
    """Handlers see that their messages are lost, and the worker registers a new consumer.

    The end of a lost handler changes nothing; its message runs again, isolated.
    """
    with make_trial(handlers=LOSING, spec="work: {lease: 10s}") as trial:
        worker = trial.worker().ready()
        [consumer] = trial.live_consumers()
        names = ("heeds", "echoes", "insists")
        ids = {name: add(trial, ["data", f'{{"id": "{name}"}}']) for name in names}
        wait_for(lambda: len(read(trial.ledger)) == 3, "all messages run")
        take_over(trial, consumer)
        worker.until(Event.LEASE_LOST)
        trial.until_drained()

        lines = read(trial.ledger)
        assert set(by_message(lines, "lost-True")) == set(names)
        ends = by_message(lines, "end")
        assert {name: [line.fence for line in end] for name, end in ends.items()} == {name: [2] for name in names}
        assert {line.pid for end in ends.values() for line in end}.isdisjoint({worker.process.pid}), (
            "suspects run isolated"
        )
        for name in names:
            assert trial.ask("GET", f"{{trial}}:trial:result:{ids[name]}") == '{"by":2}'
        until_counted(worker, "done", 3)
        counts = numbers(worker)
        assert counts.by("handling", "outcome") == {"cancelled": 3, "done": 3}
        [line] = worker.events(Event.CANCELLATION_SWALLOWED)
        assert (line["message_id"], line["why"]) == (ids["insists"], "lost")
        assert counts.of("lease_lost") == 1
        assert trial.live_consumers() != [consumer]
        assert worker.end() == 0
        assert trial.dead() == []
        trial.assert_nothing_left()


def test_a_result_is_written_with_the_settle(make_trial: Callable[..., Trial]) -> None:
    """The result has the message's id, expires, and is written only if this worker owns the message."""
    with make_trial(handlers=LOSING) as trial:
        worker = trial.worker()
        add(trial, ["data", '{"id": "quick"}', "penstock-id", MESSAGE])
        foreign = add(trial, ["data", '{"id": "quick"}', "penstock-id", "a foreign id"])
        trial.until_drained()
        for name in (MESSAGE, foreign):
            key = f"{{trial}}:trial:result:{name}"
            assert trial.ask("GET", key) == '{"by":1}'
            assert 3_000_000 < trial.number("PTTL", key) <= 3_600_000
        assert trial.number("XLEN", KEY) == 0
        assert worker.end() == 0


def test_a_result_with_no_time_to_live_is_refused() -> None:
    """Redis would refuse it, and the message could never be settled."""
    context = Context(Delivery(b"1-0", (), "me"), 0.0, MessageSettings(logging.getLogger(), (), None))
    with pytest.raises(ValueError, match="`keep` of a result must not be `0s`"):
        context.leave({"pages": 3}, keep="0s")
    assert context.result is None


SWALLOWING = """\
import asyncio
import ledger

async def handle(message, context):
    ledger.note(f"start-{context.attempt}", message["id"], context.fence)
    if message["id"] == "again" and context.attempt > 1:
        ledger.note("end", message["id"], context.fence)
        return
    try:
        await asyncio.sleep(600)
    except asyncio.CancelledError:
        context.leave({"by": "a cancelled handler"})
"""


@pytest.mark.parametrize("isolation", ["none", "process"])
def test_a_swallowed_cancellation_is_not_done(make_trial: Callable[..., Trial], isolation: str) -> None:
    """After a timeout the message is retried, and a drain gives it back; a line tells each time."""
    spec = f"work: {{lease: 10s, timeout: 4s, isolation: {isolation}}}\nretries: {{backoff: {{first: 100ms}}}}\n"
    spec += "shutdown: {grace: 6s, margin: 5s}\n"
    spec += "suppress: [{rule: grace-shorter-than-timeout, reason: to cut it off, until: 2099-01-01}]\n"
    with make_trial(handlers=SWALLOWING, spec=spec) as trial:
        worker = trial.worker().ready()
        trial.send([{"id": "again"}])
        trial.until_drained()
        assert list(by_message(read(trial.ledger), "start-2")) == ["again"]
        trial.send([{"id": "drained"}])
        wait_for(lambda: by_message(read(trial.ledger), "start-1").get("drained"), "the message runs")
        assert worker.end() == 0
        assert [line["why"] for line in worker.events(Event.CANCELLATION_SWALLOWED)] == ["timeout", "drain"]
        [line] = worker.events(Event.DRAIN_FINISHED)
        assert (line["finished"], line["given_back"]) == (0, 1)
        assert trial.left() == 1
        assert trial.number("EXISTS", "{trial}:trial:result:drained") == 0
        assert trial.dead() == []
