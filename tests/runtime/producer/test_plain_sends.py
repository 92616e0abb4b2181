"""A send may skip the script only while the backlog was just counted as far below its limit."""

from __future__ import annotations

from typing import Any

import pytest
from event_loop import run_async
from sending import DEDUP, STREAM, entries, jobs, number, pipeline
from servers import Server

from penstock.keys import PipelineKeys
from penstock.producer import BacklogFull, Producer, RedisRefused, Sent, send_script
from penstock.wire.credentials import Credentials
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Redis

ROOMY = {"limit": send_script.MARGIN + 2}


@pytest.fixture
def _lasting(monkeypatch: pytest.MonkeyPatch) -> None:
    """A count stays certain, so that a slow machine makes no difference."""
    monkeypatch.setattr(send_script, "CERTAIN", 3600.0)


def producer(server: Server, spec: Pipeline) -> Producer:
    return Producer(spec, Redis(addresses=[server.address]), credentials=Credentials())


def scripts_run(server: Server) -> int:
    """How often scripts were run by their hash."""
    lines = str(server.ask("INFO", "commandstats")).splitlines()
    calls = [line.partition("calls=")[2].partition(",")[0] for line in lines if line.startswith("cmdstat_evalsha:")]
    return int(calls[0]) if calls else 0


async def script_runs_of(server: Server, one: Producer, sends: int, **options: Any) -> int:  # noqa: ANN401 - options of `send`
    before = scripts_run(server)
    for body in jobs(sends):
        assert isinstance(await one.send(body, **options), Sent)
    return scripts_run(server) - before


@pytest.mark.usefixtures("_lasting")
def test_sends_in_a_row_run_the_script_until_the_backlog_is_counted(server: Server) -> None:
    """The first connects, the second counts; the entries are the same."""

    async def scenario() -> None:
        async with producer(server, pipeline()) as one:
            assert await script_runs_of(server, one, 2) >= 2
            assert await script_runs_of(server, one, 20) == 0
        first, *_, last = entries(server)
        assert number(server, "XLEN", STREAM) == 22
        assert list(first.fields) == list(last.fields)

    run_async(scenario())


@pytest.mark.usefixtures("_lasting")
@pytest.mark.parametrize(
    "spec",
    [pipeline(backlog={"limit": send_script.MARGIN}), pipeline(message={"dedup": DEDUP})],
    ids=["a low limit", "deduplication"],
)
def test_other_sends_always_run_the_script(server: Server, spec: Pipeline) -> None:
    """It counts exactly, and knows the keys."""

    async def scenario() -> None:
        async with producer(server, spec) as one:
            assert await script_runs_of(server, one, 5) >= 5

    run_async(scenario())


@pytest.mark.usefixtures("_lasting")
def test_delayed_messages_always_run_the_script(server: Server) -> None:
    async def scenario() -> None:
        async with producer(server, pipeline()) as one:
            await script_runs_of(server, one, 3)
            assert await script_runs_of(server, one, 5, delay=60) == 5

    run_async(scenario())


@pytest.mark.usefixtures("_lasting")
def test_each_plain_send_counts_the_backlog_again(server: Server) -> None:
    """Near the limit, the script decides; delayed messages count."""

    async def scenario() -> None:
        async with producer(server, pipeline(backlog=ROOMY)) as one:
            await script_runs_of(server, one, 2)
            assert await script_runs_of(server, one, 2) == 0, "they count one and two messages"
            assert await script_runs_of(server, one, 2) == 2
            server.ask("DEL", STREAM)
            server.ask("ZADD", PipelineKeys.of(pipeline()).delayed, 1, "a", 2, "b", 3, "c")
            assert await script_runs_of(server, one, 3) == 3

    run_async(scenario())


def test_a_count_is_certain_only_for_a_moment(server: Server) -> None:
    """Whoever fills the backlog needs longer."""
    fill = "for n = 1, ARGV[1] do redis.call('XADD', KEYS[1], '*', 'data', '{}') end"

    async def scenario() -> None:
        async with producer(server, pipeline(backlog=ROOMY)) as one:
            await script_runs_of(server, one, 2)
            server.ask("EVAL", fill, 1, STREAM, send_script.MARGIN)
            with pytest.raises(BacklogFull):
                await one.send({"job": "too many"})
        assert number(server, "XLEN", STREAM) == send_script.MARGIN + 2

    run_async(scenario())


@pytest.mark.usefixtures("_lasting")
def test_the_script_explains_a_refused_send(server: Server) -> None:
    """A refused XADD has changed nothing, so the script may try again; afterwards, sends are plain again."""

    async def scenario() -> None:
        async with producer(server, pipeline()) as one:
            await script_runs_of(server, one, 3)
            server.ask("DEL", STREAM)
            server.ask("SET", STREAM, "no stream")
            with pytest.raises(RedisRefused, match="WRONGTYPE"):
                await one.send({"job": "refused"})
            server.ask("DEL", STREAM)
            await script_runs_of(server, one, 2)
            assert await script_runs_of(server, one, 5) == 0
        assert number(server, "XLEN", STREAM) == 7

    run_async(scenario())
