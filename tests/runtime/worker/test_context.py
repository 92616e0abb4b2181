"""The context that a handler gets, and what it can report."""

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
    with pathlib.Path("told").open("a") as file:
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
    context.log.info("told", own=5)
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


def test_the_context_describes_the_attempt(trial: Callable[..., Trial]) -> None:
    """The attempt, a growing fence, the remaining time, and a correlation: given, or derived and stable."""
    with trial(handlers=HANDLERS, spec=SPEC) as one:
        worker = one.worker()
        given = add(one, ["data", '{"id": "given", "job_id": "job-1"}', "penstock-id", MESSAGE])
        again = add(one, ["data", '{"id": "again"}'])
        one.until_drained()
        lines = [json.loads(line) for line in (one.folder / "told").read_text().splitlines()]
        for line in lines:
            assert 0 < line["left"] <= 50
            assert 0 < line["remaining"] <= 50
            assert line["cancelled"] == [False, False]
        [first] = [line for line in lines if line["id"] == "given"]
        assert (first["correlation"], first["message_id"], first["entry"]) == ("job-1", MESSAGE, given)
        made = [line for line in lines if line["id"] == "again"]
        assert [line["attempt"] for line in made] == [1, 2, 3]
        fences = [line["fence"] for line in made]
        assert fences == sorted(set(fences))
        assert {(line["message_id"], line["entry"]) for line in made} == {(again, again)}
        [correlation] = {line["correlation"] for line in made}
        assert is_ulid(correlation), "made, and the same in every attempt"
        assert [line["correlation"] for line in worker.lines_with("told") if line["message_id"] == again] == [
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


def test_a_lost_lease_cancels_running_messages(trial: Callable[..., Trial]) -> None:
    """Handlers see that their messages are lost, and the worker registers a new consumer.

    The end of a lost handler changes nothing; its message runs again, isolated.
    """
    with trial(handlers=LOSING, spec="work: {lease: 10s}") as one:
        worker = one.worker().ready()
        [consumer] = one.live_consumers()
        names = ("heeds", "echoes", "insists")
        ids = {name: add(one, ["data", f'{{"id": "{name}"}}']) for name in names}
        wait_for(lambda: len(read(one.ledger)) == 3, "all of them run")
        take_over(one, consumer)
        worker.until(Event.LEASE_LOST)
        one.until_drained()

        lines = read(one.ledger)
        assert set(by_message(lines, "lost-True")) == set(names)
        ends = by_message(lines, "end")
        assert {name: [line.fence for line in end] for name, end in ends.items()} == {name: [2] for name in names}
        assert {line.pid for end in ends.values() for line in end}.isdisjoint({worker.process.pid}), (
            "suspects run apart"
        )
        for name in names:
            assert one.ask("GET", f"{{trial}}:trial:result:{ids[name]}") == '{"by":2}'
        until_counted(worker, "done", 3)
        counts = numbers(worker)
        assert counts.by("handling", "outcome") == {"cancelled": 2, "done": 4}
        assert counts.of("fenced", step="settle") + counts.of("gone", step="settle") == 1, (
            "that of the one that insists"
        )
        assert counts.of("lease_lost") == 1
        assert one.live_consumers() != [consumer]
        assert worker.end() == 0
        assert one.dead() == []
        one.assert_nothing_left()


def test_a_result_is_written_with_the_settle(trial: Callable[..., Trial]) -> None:
    """Under the message's own id, for a time, and only while this worker owns the message."""
    with trial(handlers=LOSING) as one:
        worker = one.worker()
        add(one, ["data", '{"id": "quick"}', "penstock-id", MESSAGE])
        odd = add(one, ["data", '{"id": "quick"}', "penstock-id", "no id of ours"])
        one.until_drained()
        for name in (MESSAGE, odd):
            key = f"{{trial}}:trial:result:{name}"
            assert one.ask("GET", key) == '{"by":1}'
            assert 3_000_000 < one.number("PTTL", key) <= 3_600_000
        assert one.number("XLEN", KEY) == 0
        assert worker.end() == 0


def test_a_result_with_no_time_to_live_is_refused() -> None:
    """Redis refuses it, so the message could never be settled."""
    context = Context(Delivery(b"1-0", (), "me"), 0.0, MessageSettings(logging.getLogger(), (), None))
    with pytest.raises(ValueError, match="`keep` of a result must not be `0s`"):
        context.leave({"pages": 3}, keep="0s")
    assert context.result is None
