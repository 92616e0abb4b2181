"""What a send makes of trouble with Redis: it never sends twice, and never says *not sent* of what may be there."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from event_loop import run_async, until
from faulty_connection import Cable
from sending import DEDUP, STREAM, entries, jobs, keys_of, number, pipeline
from servers import Server
from targets import Target

from penstock.observe.board import Board
from penstock.observe.metrics import Metrics
from penstock.observe.values import Gauge
from penstock.producer import (
    BacklogFull,
    BreakerOpen,
    Duplicate,
    Failed,
    Producer,
    RedisAbsent,
    RedisRefused,
    Sent,
    TimedOut,
    Unknown,
)
from penstock.wire.credentials import Credentials
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.metrics import sending
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Redis, Timeouts
from penstock_spec.values.quantities import Duration

pytestmark = pytest.mark.wire

PATIENT: dict[str, Any] = {"attempts": 100, "backoff": {"first": "20ms", "factor": 1}}


@pytest.fixture
def cable(server: Server) -> Iterator[Cable]:
    with Cable(server.port) as cable:
        yield cable


def hasty(where: Cable | Server, spec: Pipeline, *, answer: str = "2s", metrics: Metrics | None = None) -> Producer:
    """A producer that does not wait long for an answer."""
    redis = Redis(addresses=[where.address], timeouts=Timeouts(answer=Duration(answer)))
    return Producer(spec, redis, credentials=Credentials(), metrics=metrics)


def has_grown(server: Server, before: int) -> bool:
    return number(server, "XLEN", STREAM) > before


def own_ids(server: Server) -> list[str]:
    return [entry.fields["penstock-id"] for entry in entries(server)]


def unread(server: Server) -> list[int]:
    """Bytes that a server which hangs has not read, for each connection with any."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    waiting = [int(line[4].partition(":")[2], 16) for line in lines if line[1].endswith(f":{server.port:04X}")]
    return [count for count in waiting if count]


def shown(gauge: Gauge) -> float:
    (sample,) = gauge.samples()
    return sample.value


def counted() -> Metrics:
    return Metrics.of_spec("producer", pipeline(), Board())


# No answer


def test_an_answer_that_got_lost_is_unknown(server: Server, cable: Cable) -> None:
    """Without a deduplication key nothing is repeated: the error names the message, which is there, once."""

    async def scenario() -> None:
        async with hasty(cable, pipeline(send=PATIENT)) as producer:
            await producer.send({"job": "first"})
            cable.lose_answers()
            with pytest.raises(Unknown) as unknown:
                await producer.send({"job": "second"})
            cable.mend()
            third = await producer.send({"job": "third"})
        assert own_ids(server)[1:] == [unknown.value.id, third.id]
        assert unknown.value.id in str(unknown.value)

    run_async(scenario())


def test_with_a_key_it_is_sent_exactly_once(server: Server, cable: Cable) -> None:
    """The repeated attempt meets its own first: then it was sent."""

    async def scenario() -> None:
        metrics = counted()
        spec = pipeline(message={"dedup": DEDUP}, send=PATIENT)
        async with hasty(cable, spec, metrics=metrics) as producer:
            await producer.send({"job": "first"})
            cable.lose_answers()
            sending_ = asyncio.create_task(producer.send({"job": "second"}))
            await until(cable.lost.is_set, "the answer got lost")
            cable.mend()
            sent = await sending_
            assert isinstance(sent, Sent)
            assert sent.entry is None, "the answer that told it was lost"
            assert await producer.send({"job": "second"}) == Duplicate(sent.id, "second")
        assert own_ids(server)[1:] == [sent.id]
        assert metrics.counter(sending.SENT, "new").value == 2
        assert metrics.counter(sending.SENT, "duplicate").value == 1
        assert metrics.counter(sending.SEND_RETRIES).value >= 1

    run_async(scenario())


def test_with_a_key_and_no_answer_at_all_it_is_unknown(server: Server, cable: Cable) -> None:
    """However its other attempts fail: the first may have been taken, and it was."""

    async def scenario() -> None:
        async with hasty(cable, pipeline(message={"dedup": DEDUP})) as producer:
            await producer.send({"job": "first"})
            cable.lose_answers()
            with pytest.raises(Unknown) as unknown:
                await producer.send({"job": "second"})
        assert own_ids(server)[1:] == [unknown.value.id]

    run_async(scenario())


def test_what_redis_may_have_forgotten_is_not_repeated(server: Server, cable: Cable) -> None:
    """A window that could be over by then protects from nothing."""

    async def scenario() -> None:
        metrics = counted()
        spec = pipeline(message={"dedup": {"by": "job", "window": "500ms"}}, send=PATIENT)
        async with hasty(cable, spec, metrics=metrics) as producer:
            await producer.send({"job": "first"})
            cable.lose_answers()
            with pytest.raises(Unknown):
                await producer.send({"job": "second"})
        assert number(server, "XLEN", STREAM) == 2
        assert metrics.counter(sending.SEND_RETRIES).value == 0

    run_async(scenario())


@pytest.mark.parametrize("message", [{}, {"dedup": DEDUP}])
def test_a_server_that_hangs(server: Server, message: dict[str, Any]) -> None:
    """It takes the command when it wakes. Without a key that is unknown; with one it is sent once for all."""

    async def scenario() -> None:
        async with hasty(server, pipeline(message=message, send=PATIENT)) as producer:
            await producer.send({"job": "first"})
            server.pause()
            sending_ = asyncio.create_task(producer.send({"job": "second"}))
            if message:
                await until(lambda: len(unread(server)) >= 2, "it has come back")
                server.resume()
                sent = await sending_
                assert isinstance(sent, Sent)
                id_ = sent.id
            else:
                with pytest.raises(Unknown) as unknown:
                    await sending_
                server.resume()
                id_ = unknown.value.id
            await until(lambda: number(server, "XLEN", STREAM) == 2, "the server has taken it")
            await producer.send({"job": "third"})
        assert own_ids(server)[1] == id_
        assert number(server, "XLEN", STREAM) == 3

    run_async(scenario())


@pytest.mark.parametrize("message", [{}, {"dedup": DEDUP}])
def test_many_over_a_line_that_breaks(server: Server, cable: Cable, message: dict[str, Any]) -> None:
    """What is told as sent is there once, and nothing is there that is not told as sent or unknown."""

    async def scenario() -> None:
        async with hasty(cable, pipeline(message=message, send=PATIENT)) as producer:
            sending_ = asyncio.create_task(producer.send_many(jobs(5000)))
            for _ in range(5):
                await until(partial(has_grown, server, number(server, "XLEN", STREAM)), "it goes on")
                cable.lose_answers()
                await until(lambda: cable.lost.is_set() or sending_.done(), "an answer got lost")
                cable.mend()
            outcomes = await sending_
        there = Counter(own_ids(server))
        assert set(there.values()) == {1}
        kinds = Counter(type(outcome) for outcome in outcomes)
        sent = {outcome.id for outcome in outcomes if isinstance(outcome, Sent)}
        unknown = {outcome.id for outcome in outcomes if isinstance(outcome, Unknown)}
        assert sent <= set(there) <= sent | unknown
        assert kinds[Sent] + kinds[Unknown] == 5000, kinds
        if message:
            assert kinds[Sent] == 5000
        else:
            assert unknown

    run_async(scenario())


# Redis says no


def test_out_of_memory(server: Server) -> None:
    """Nothing of it is there, not even what would remember it; with memory it goes on."""

    async def scenario() -> None:
        spec = pipeline(message={"dedup": DEDUP}, send={"attempts": 2})
        async with hasty(server, spec) as producer:
            server.ask("CONFIG", "SET", "maxmemory", 1)
            for delay in (None, 60):
                with pytest.raises(RedisRefused, match="OOM") as refused:
                    await producer.send({"job": "a"}, delay=delay)
                assert refused.value.code == "OOM"
            assert server.ask("KEYS", "*") == []
            server.ask("CONFIG", "SET", "maxmemory", 0)
            assert isinstance(await producer.send({"job": "a"}), Sent)

    run_async(scenario())


@pytest.mark.parametrize(
    ("breaks", "mends"),
    [
        (("CONFIG", "SET", "maxmemory", 1), ("CONFIG", "SET", "maxmemory", 0)),
        (("CONFIG", "SET", "min-replicas-to-write", 1), ("CONFIG", "SET", "min-replicas-to-write", 0)),
        (("REPLICAOF", "127.0.0.1", 1), ("REPLICAOF", "NO", "ONE")),
    ],
)
def test_a_server_that_cannot_work_now_is_asked_again(
    server: Server, breaks: tuple[str | int, ...], mends: tuple[str | int, ...]
) -> None:
    """No memory, no replicas, no master: in one of its attempts the message is sent, once, in order."""

    async def scenario() -> None:
        metrics = counted()
        async with hasty(server, pipeline(send=PATIENT), metrics=metrics) as producer:
            await producer.send({"job": "first"})
            server.ask(*breaks)
            sending_ = asyncio.create_task(producer.send_many(jobs(300)))
            await until(lambda: metrics.counter(sending.SEND_RETRIES).value >= 2, "it insists")
            assert not sending_.done()
            server.ask(*mends)
            outcomes = await sending_
        sent = [outcome.id for outcome in outcomes if isinstance(outcome, Sent)]
        assert len(sent) == 300
        assert own_ids(server)[1:] == sent

    run_async(scenario())


def test_a_master_that_is_none_any_more_is_left(server: Server) -> None:
    """The next attempt looks for the master anew, over another connection: it may be elsewhere by then."""

    async def scenario() -> None:
        metrics = counted()
        async with hasty(server, pipeline(send=PATIENT), metrics=metrics) as producer:
            await producer.send({"job": "first"})
            before = connections(server)
            server.ask("REPLICAOF", "127.0.0.1", 1)
            sending_ = asyncio.create_task(producer.send({"job": "second"}))
            await until(lambda: connections(server) >= before + 2, "it looks anew")
            server.ask("REPLICAOF", "NO", "ONE")
            assert isinstance(await sending_, Sent)

    run_async(scenario())


def connections(server: Server) -> int:
    """How many the server has ever had."""
    return int(str(server.ask("INFO", "stats")).partition("total_connections_received:")[2].split()[0])


@pytest.mark.parametrize(("lacks", "delay"), [("-xadd", None), ("-hset", 60), ("-zadd", 60), ("-mget", None)])
def test_what_may_not_be_done_is_not_tried_again(server: Server, lacks: str, delay: int | None) -> None:
    """A user without the right is told so at once, and nothing of the message is there."""

    async def scenario() -> None:
        server.ask("ACL", "SETUSER", "sender", "on", "nopass", "~*", "&*", "+@all", lacks)
        metrics = counted()
        producer = Producer(
            pipeline(message={"dedup": DEDUP}, send=PATIENT),
            server.model(),
            credentials=Credentials(username="sender", password="x"),  # noqa: S106 - of a server that ends with the test
            metrics=metrics,
        )
        async with producer:
            with pytest.raises(RedisRefused) as refused:
                await producer.send({"job": "a"}, delay=delay)
            assert refused.value.code == "NOPERM"
        assert metrics.counter(sending.SEND_RETRIES).value == 0
        assert server.ask("KEYS", "*") == []

    run_async(scenario())


def test_a_wrong_password_is_not_tried_again(server: Server) -> None:
    """It would be wrong the next time, too."""

    async def scenario() -> None:
        metrics = counted()
        credentials = Credentials(username="nobody", password="wrong")  # noqa: S106 - as above
        async with Producer(
            pipeline(send=PATIENT), server.model(), credentials=credentials, metrics=metrics
        ) as producer:
            with pytest.raises(RedisRefused) as refused:
                await producer.send({"job": "a"})
            assert refused.value.code == "WRONGPASS"
        assert metrics.counter(sending.SEND_RETRIES).value == 0

    run_async(scenario())


@pytest.mark.parametrize("key", ["stream", "delayed", "bodies"])
def test_a_key_that_is_something_else(server: Server, key: str) -> None:
    """Said at once; nothing is left half-way."""

    async def scenario() -> None:
        spec = pipeline(message={"dedup": DEDUP}, send=PATIENT)
        keys = keys_of(spec)
        where = str(getattr(keys, key))
        server.ask("SET", where, "no stream")
        async with hasty(server, spec) as producer:
            with pytest.raises(RedisRefused) as refused:
                await producer.send({"job": "a"}, delay=None if key == "stream" else 60)
            assert refused.value.code == "WRONGTYPE"
        assert server.ask("KEYS", "*") == [where]

    run_async(scenario())


# Nobody there


def test_nobody_listens(server: Server) -> None:
    """So nothing was sent; each attempt of the spec was made."""

    async def scenario() -> None:
        metrics = counted()
        server.kill()
        async with hasty(server, pipeline(), metrics=metrics) as producer:
            with pytest.raises(RedisAbsent):
                await producer.send({"job": "a"})
            assert metrics.counter(sending.SEND_RETRIES).value == 2
            assert metrics.counter(sending.SENT, "absent").value == 1

    run_async(scenario())


def test_a_server_that_comes_back_is_found(server: Server) -> None:
    """Within its attempts, and without a word to the sender."""

    async def scenario() -> None:
        metrics = counted()
        # With a key: the first attempt may still find the connection that is about to break.
        async with hasty(server, pipeline(message={"dedup": DEDUP}, send=PATIENT), metrics=metrics) as producer:
            await producer.send({"job": "first"})
            server.kill()
            sending_ = asyncio.create_task(producer.send({"job": "second"}))
            await until(lambda: metrics.counter(sending.SEND_RETRIES).value >= 2, "it insists")
            server.start()
            assert isinstance(await sending_, Sent)
        assert number(server, "XLEN", STREAM) == 2

    run_async(scenario())


def test_a_failover(target: Target) -> None:
    """Where there is another master to turn to, sends go on there."""

    async def scenario() -> None:
        spec = pipeline(message={"dedup": DEDUP}, send={"attempts": 100, "backoff": {"first": "200ms", "factor": 1}})
        async with Producer(spec, target.redis, credentials=target.credentials) as producer:
            await producer.send({"job": "before"})
            if target.can_fail_over:
                await asyncio.to_thread(target.failover)
            assert isinstance(await producer.send({"job": "after"}), Sent)
        assert [entry.fields["penstock-key"] for entry in entries(target)] == ["before", "after"]

    run_async(scenario())


# Its time is over


def test_a_send_insists_no_longer_than_it_may(server: Server) -> None:
    """It tells what stood in the way."""

    async def scenario() -> None:
        server.kill()
        async with hasty(server, pipeline(send=PATIENT)) as producer:
            with pytest.raises(RedisAbsent):
                await producer.send({"job": "a"}, timeout=0.2)

    run_async(scenario())


def test_nobody_waits_for_the_next_attempt_of_one_who_gave_up(server: Server) -> None:
    """Whoever comes after is sent at once."""

    async def scenario() -> None:
        server.kill()
        spec = pipeline(send={"attempts": 3, "backoff": {"first": "10m", "factor": 1}})
        async with hasty(server, spec) as producer:
            with pytest.raises(RedisAbsent):
                await producer.send({"job": "a"}, timeout=0.1)
            server.start()
            assert isinstance(await producer.send({"job": "b"}), Sent)

    run_async(scenario())


def test_a_send_whose_turn_did_not_come(server: Server) -> None:
    """Behind one that waits for its answer; it was never sent, and never is."""

    async def scenario() -> None:
        async with hasty(server, pipeline(), answer="30s") as producer:
            await producer.send({"job": "first"})
            server.pause()
            slow = asyncio.create_task(producer.send({"job": "slow"}))
            await until(lambda: unread(server), "it is on its way")
            with pytest.raises(TimedOut):
                await producer.send({"job": "late"}, timeout=0.1)
            server.resume()
            await slow
        assert number(server, "XLEN", STREAM) == 2

    run_async(scenario())


def test_a_send_whose_time_is_over_while_it_is_on_its_way(server: Server) -> None:
    """Its answer is awaited; where that is no, it is not tried again."""

    async def scenario() -> None:
        async with hasty(server, pipeline(backlog={"limit": 1, "when_full": "wait"}), answer="10s") as producer:
            await producer.send({"job": "first"})
            server.pause()
            late = asyncio.create_task(producer.send({"job": "late"}, timeout=0.05))
            await until(lambda: unread(server), "it is on its way")
            done, _ = await asyncio.wait((late,), timeout=0.2)
            assert not done
            server.resume()
            with pytest.raises(BacklogFull):
                await late

    run_async(scenario())


# Again and again


def test_after_enough_trouble_sends_fail_at_once(server: Server) -> None:
    """Until the cool-down is over; then one tries, and all goes on."""

    async def scenario() -> None:
        now = 0.0
        metrics = counted()
        redis = Redis(addresses=[server.address])
        producer = Producer(pipeline(), redis, credentials=Credentials(), metrics=metrics, clock=lambda: now)
        server.kill()
        async with producer:
            errors = []
            for _ in range(3):
                with pytest.raises((RedisAbsent, BreakerOpen)) as error:
                    await producer.send({"job": "a"})
                errors.append(type(error.value))
            assert errors == [RedisAbsent, BreakerOpen, BreakerOpen]
            assert shown(metrics.gauge(sending.BREAKER_OPEN)) == 1
            server.start()
            with pytest.raises(BreakerOpen, match="the last error: no connection"):
                await producer.send({"job": "b"})
            outcomes = await producer.send_many(jobs(3))
            assert [type(one.error) for one in outcomes if isinstance(one, Failed)] == [BreakerOpen] * 3
            now = 31.0
            assert isinstance(await producer.send({"job": "c"}), Sent)
            assert isinstance(await producer.send({"job": "d"}), Sent)
        assert number(server, "XLEN", STREAM) == 2
        assert shown(metrics.gauge(sending.BREAKER_OPEN)) == 0
        assert metrics.counter(sending.BREAKER_OPENED).value == 1

    run_async(scenario())


def test_a_producer_that_leaves_takes_its_open_breaker_along(server: Server) -> None:
    """What it showed would otherwise stand for ever."""

    async def scenario() -> None:
        metrics = counted()
        server.kill()
        async with hasty(server, pipeline(), metrics=metrics) as producer:
            outcomes = [await producer.send_many(jobs(1)) for _ in range(2)]
            assert [type(one.error) for [one] in outcomes if isinstance(one, Failed)] == [RedisAbsent, BreakerOpen]
            assert shown(metrics.gauge(sending.BREAKER_OPEN)) == 1
        assert shown(metrics.gauge(sending.BREAKER_OPEN)) == 0

    run_async(scenario())


def test_what_may_not_be_done_is_no_trouble_with_redis(server: Server) -> None:
    """However often it is told, it is told as it is."""

    async def scenario() -> None:
        server.ask("SET", STREAM, "no stream")
        async with hasty(server, pipeline()) as producer:
            for _ in range(10):
                with pytest.raises(RedisRefused):
                    await producer.send({"job": "a"})

    run_async(scenario())


def test_a_fault_of_our_own_is_told_to_all_who_wait(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for ever, and the next send begins anew."""

    async def scenario() -> None:
        async with hasty(server, pipeline()) as producer:
            with monkeypatch.context() as patch:
                patch.setattr(Link, "run", fails)
                sends = [asyncio.create_task(producer.send(body)) for body in jobs(300)]
                outcomes = await asyncio.gather(*sends, return_exceptions=True)
            assert [type(outcome) for outcome in outcomes] == [LookupError] * 300
            assert isinstance(await producer.send({"job": "a"}), Sent)

    async def fails(*_: object) -> None:
        raise LookupError

    run_async(scenario())


def test_a_full_backlog_is_no_trouble_with_redis(server: Server) -> None:
    """It answers; however often it says so, nothing is cut off."""

    async def scenario() -> None:
        async with hasty(server, pipeline(backlog={"limit": 1})) as producer:
            outcomes = await producer.send_many(jobs(20))
            for _ in range(20):
                outcomes += await producer.send_many(jobs(1))
            server.ask("DEL", STREAM)
            assert isinstance(await producer.send({"job": "a"}), Sent)
        assert sum(isinstance(outcome, Sent) for outcome in outcomes) == 1

    run_async(scenario())
